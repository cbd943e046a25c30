// Talking to the server: the token of the address goes with each request.

const token = new URLSearchParams(location.search).get("token") ?? "";

export class Refused extends Error {
  constructor(status, body) {
    super(body?.error ?? `The server answered ${status}.`);
    this.status = status;
    this.body = body;
  }
}

async function request(path, options = {}) {
  const response = await fetch(path, { ...options, headers: { "X-Token": token, ...options.headers } });
  if (response.ok) return response;
  throw new Refused(response.status, await response.json().catch(() => null));
}

export const get = async (path) => (await request(path)).json();
export const bytes = async (path) => (await request(path)).arrayBuffer();

export async function post(path, body) {
  const response = await request(path, {
    method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" },
  });
  return response.json();
}

export async function download(name) {
  save(await (await request(`/api/export/${name}`)).blob(), name);
}

export function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// News arrive as they happen; after a break the browser connects again by itself.
export function listen(told, lost) {
  const source = new EventSource(`/api/stream?token=${encodeURIComponent(token)}`);
  source.onmessage = (event) => told(JSON.parse(event.data));
  source.onerror = lost;
}
