// In the head, so that a dark page is dark from its first moment.
document.documentElement.classList.toggle("dark", matchMedia("(prefers-color-scheme: dark)").matches);
