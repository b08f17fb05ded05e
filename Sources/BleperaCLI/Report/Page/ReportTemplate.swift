/// The elements of the page that do not depend on its data.
enum ReportTemplate {
  static let head = #"""
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline';
      script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
    <meta name="referrer" content="no-referrer">
    <meta name="color-scheme" content="light dark">
    <title>blepera report</title>

    """#

  static let body = #"""
    <header>
      <h1 id="title">blepera report</h1>
      <p id="source"></p>
    </header>
    <noscript><p>This page is drawn by its script, which your browser does not run.</p></noscript>
    <main>
      <nav id="runs" aria-label="Runs" hidden></nav>
      <section id="overview" aria-label="Overview"></section>
      <section class="panel" aria-labelledby="timeline-title">
        <div class="bar">
          <h2 id="timeline-title">Timeline</h2>
          <div class="tools">
            <button id="scale" type="button" aria-pressed="false"
              title="Draw time to scale, in place of shortening the time in which nothing happens">To scale</button>
            <button id="out" type="button" title="Zoom out (-)" aria-label="Zoom out">−</button>
            <button id="in" type="button" title="Zoom in (+)" aria-label="Zoom in">+</button>
            <button id="fit" type="button" title="Show everything (0)">Fit</button>
          </div>
        </div>
        <div id="timeline" role="slider" tabindex="0" aria-label="Moment"></div>
        <div id="legend" role="group" aria-label="Show in timeline and list"></div>
      </section>
      <div class="columns">
        <section class="panel" aria-labelledby="moments-title">
          <div class="bar">
            <h2 id="moments-title">Moments</h2>
            <span id="count" role="status"></span>
          </div>
          <input id="filter" type="search" autocomplete="off" spellcheck="false" aria-label="Filter"
            placeholder="Filter, such as read, 2A37 or R5">
          <div id="list" role="listbox" tabindex="0" aria-labelledby="moments-title"><div id="rows"></div></div>
          <p class="keys"><kbd>↑</kbd> <kbd>↓</kbd> moment <kbd>/</kbd> filter <kbd>Esc</kbd> clear
            <kbd>+</kbd> <kbd>−</kbd> <kbd>0</kbd> zoom</p>
        </section>
        <section class="panel" id="details" aria-label="Details of the moment"></section>
      </div>
    </main>

    """#
}
