// A page that was opened from disk may start no Worker. This runs the search's worker in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.importScripts = (...urls) => urls.reduce((before, each) => before.then(() => load(each)), Promise.resolve());
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const load = (each) => new Promise((done, failed) => {
        const script = inside.document.createElement("script");
        script.src = each;
        script.onload = done;
        script.onerror = failed;
        inside.document.body.append(script);
      });
      this.loaded = load(url);
      this.inside = inside;
    }
    postMessage(data) {
      this.loaded.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }
    set onmessage(listener) { this.addEventListener("message", listener); }
    terminate() { this.frame.remove(); }
  };
}
