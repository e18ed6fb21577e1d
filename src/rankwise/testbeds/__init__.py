"""Where ranks run: hosts, and how to start something on them. One file a kind."""
