/// The elements that pages are made of: none that runs a script of its own, or loads something.
package enum Tag: String, Sendable {
  case html, head, body, title, meta, link, script
  case header, footer, main, nav, section, article
  case h1, h2, h3, h4
  case p, ul, ol, li, dl, dt, dd, div, span, pre, code, kbd, strong, small, time, bdi, mark
  case a, form, label, input, textarea, select, option, button, output
  case table, caption, thead, tbody, tr, th, td
  case details, summary, dialog, figure, figcaption, br, hr, wbr
  case svg, g, path, line, rect, circle, text, desc

  /// Whether it has neither content nor an end.
  var isVoid: Bool { [.meta, .link, .input, .br, .hr, .wbr].contains(self) }
}
