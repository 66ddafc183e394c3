// Lead on to the page that another site led to: what is asked for now is asked by a page of ours.
const wanted = location.href;
// From the same address, all but the fragment, a browser would go nowhere.
history.replaceState(null, "", document.currentScript.src);
location.replace(wanted);
