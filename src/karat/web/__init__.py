"""The viewer: runs, cases, comparisons and reviews in a browser, from the store, on this machine."""
