import CLI
package import FoundationEssentials
package import FunctionKit

// The parts that pages are made of.

/// A table that scrolls sideways where it must.
///
/// - Parameters:
///   - title: what it lists, for those who do not see it.
///   - columns: the heads; the column with buttons has an empty one.
///   - numbers: those of them under which numbers stand.
package func table(
  _ title: String, _ columns: [String], numbers: Set<String> = [], class name: String = "",
  @HTMLBuilder rows: () -> HTML
) -> HTML {
  tag(.div, .class("scroll"), .tabindex(0), .role("region"), .aria("label", title)) {
    tag(.table, name.isEmpty ? nil : .class(name)) {
      tag(.caption, .class("unseen")) { title }
      tag(.thead) {
        tag(.tr) {
          for column in columns {
            tag(.th, .scope("col"), numbers.contains(column) ? .class("number") : nil) {
              if column.isEmpty { unseen("Actions") } else { HTML(column) }
            }
          }
        }
      }
      tag(.tbody, content: rows)
    }
  }
}

package func cell(_ name: String? = nil, @HTMLBuilder content: () -> HTML = { HTML() }) -> HTML {
  tag(.td, name.map { .class($0) }, content: content)
}

/// A name that somebody else has given: long ones are cut, and right-to-left text does not affect its surroundings
/// (`<bdi>`).
package func name(_ text: String, longest: Int = 100) -> HTML {
  let short = text.clipped(to: longest)
  return tag(.bdi, short == text ? nil : .title(text.clipped(to: 2_000))) { short }
}

/// A text of a push or of people, as a block of its own, which goes in the direction of its first letters.
package func quotation(_ element: Tag, _ text: String, class: String? = nil, longest: Int) -> HTML {
  let short = text.clipped(to: longest)
  return tag(
    element, `class`.map { .class($0) }, .dir("auto"), short == text ? nil : .title(text.clipped(to: 2_000))
  ) { short }
}

/// Text for those who do not see the page.
package func unseen(_ text: String) -> HTML { tag(.span, .class("unseen")) { text } }

/// A word in a coloured frame; the colour says nothing that the word does not.
package func badge(_ text: String, _ kind: String = "") -> HTML {
  tag(.span, .class(kind.isEmpty ? "badge" : "badge \(kind)")) { text }
}

/// An instant as all pages write it: `30 Nov, 22:00`, with the year where it is another; the exact one is its title.
///
/// - Parameter hasSeconds: whether the order of what happened in a minute is to be seen.
package func time(_ date: Date, now: Date = .now, hasSeconds: Bool = false) -> HTML {
  tag(.time, .datetime(RFC3339.string(date)), .title(TimeText.of(date)), .data("at", hasSeconds ? "s" : "")) {
    TimeText.onPage(date, now: now, hasSeconds: hasSeconds)
  }
}

/// When a schedule fires: to the minute, or to the second where that tells it from its neighbours.
func occurrence(_ date: Date, now: Date) -> HTML {
  time(date, now: now, hasSeconds: date.timeIntervalSince1970.truncatingRemainder(dividingBy: 60) != 0)
}

/// A sentence that a command has made, with its instants as all pages write them.
func sentence(_ text: String, longest: Int) -> HTML {
  var (html, plain, rest) = (HTML(), "", text.clipped(to: longest)[...])
  while let first = rest.first {
    if first.isNumber, rest.dropFirst(19).first == "Z", let date = try? TimeText.date(String(rest.prefix(20))) {
      html += HTML(plain) + time(date)
      (plain, rest) = ("", rest.dropFirst(20))
    } else {
      plain.append(rest.removeFirst())
    }
  }
  return tag(.bdi) { html + HTML(plain) }
}

/// An instant by its distance from now; the exact one is its title.
package func ago(_ date: Date, now: Date) -> HTML {
  tag(.time, .datetime(RFC3339.string(date)), .title(TimeText.of(date)), .data("ago", "")) {
    TimeText.ago(date, now: now)
  }
}

/// Names and values, one pair a line.
package func facts(_ pairs: [(String, HTML)]) -> HTML {
  guard !pairs.isEmpty else { return HTML() }
  return tag(.dl, .class("facts")) {
    for (name, value) in pairs {
      tag(.div) {
        tag(.dt) { name }
        tag(.dd) { value }
      }
    }
  }
}

/// Says that there is nothing, what would fill the place, and whether that part runs.
package func emptiness(_ sentence: String, @HTMLBuilder more: () -> HTML = { HTML() }) -> HTML {
  tag(.div, .class("empty")) {
    tag(.p) { sentence }
    more()
  }
}

/// A section of a page.
package func part(_ title: String, id: String? = nil, @HTMLBuilder content: () -> HTML) -> HTML {
  tag(.section, id.map { .id($0) }) {
    tag(.h2) { title }
    content()
  }
}

/// The most characters of a JSON document that a page shows.
let longestJSON = 20_000

/// A JSON document as it is written, numbers included; only the beginning of a long one.
/// - Parameter line: the one that is marked, from 1; `nil` for none.
package func json(_ document: RawJSON, marking line: Int? = nil) -> HTML {
  let text = document.pretty
  let shown = text.clipped(to: longestJSON)
  return tag(.pre, .class("json"), .tabindex(0), .role("region"), .aria("label", "JSON")) {
    let lines = line == nil ? [] : shown.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if let line, lines.indices.contains(line - 1) {
      lines[..<(line - 1)].map { "\($0)\n" }.joined()
      tag(.mark) { lines[line - 1] }
      lines[line...].map { "\n\($0)" }.joined()
    } else {
      shown
    }
  }
    + (shown == text
      ? HTML()
      : tag(.p, .class("faint")) { "The first \(longestJSON) of \(text.unicodeScalars.count) characters." })
}
