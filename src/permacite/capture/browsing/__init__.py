"""The browser way of capture: Chromium draws a page, and what came over the network is recorded."""
