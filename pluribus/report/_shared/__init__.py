"""What all pages share: layout, colors, words, samples, maps."""
