import CLI
import Documents
import FoundationEssentials
import FunctionKit

/// The events while the clock was moved, as `runner clock advance --json` prints them.
struct ClockOutcome {
  private let lines: RawJSON
  /// The events without the clock's own line.
  private let entries: [Entry]

  /// The most lines that a page shows.
  private static let most = 1_000

  init(lines: RawJSON) {
    (self.lines, entries) = (lines, (lines.elements ?? []).compactMap(Entry.init))
  }

  var page: Page {
    var page = Page("What happened on the way", in: "clock") {
      tag(.p) { tag(.a, .class("button"), .href(Address("clock"))) { "To the clock" } }
      html(otherwise: "Nothing that had anything to do came due.")
    }
    page.data = data
    return page
  }

  /// All lines, as the command prints them.
  var data: PageData {
    PageData(document: { [lines] in lines }) { [entries] in
      CSV(
        entries,
        [
          ("at", { $0.time.map(RFC3339.string) }), ("function", { $0.function }),
          ("what", { $0.sentence ?? $0.line?.kind }), ("event", { $0.line?.event }), ("code", { $0.line?.code }),
          ("milliseconds", { $0.line?.milliseconds.map { "\($0)" } }), ("error", { $0.line?.error }),
        ])
    }
  }

  /// A table of all lines.
  ///
  /// - Parameter sentence: says that there is none.
  func html(otherwise sentence: String) -> HTML {
    guard !entries.isEmpty else { return emptiness(sentence) }
    return table("What happened", ["at", "function", "what", "took"], numbers: ["took"], class: "stack") {
      for entry in entries.prefix(Self.most) { row(entry) }
    }
      + (entries.count > Self.most
        ? tag(.p, .class("faint")) { "The first \(Self.most) of \(entries.count) lines are shown." } : HTML())
  }

  private func row(_ entry: Entry) -> HTML {
    tag(.tr) {
      cell("tight") { entry.time.map { time($0, hasSeconds: true) } }
      cell { name(entry.function) }
      cell("text") {
        if let line = entry.line, let code = line.code {
          run(line, code)
        } else if let sentence = entry.sentence {
          name(sentence.prefix(1).uppercased() + sentence.dropFirst(), longest: 600)
        } else {
          tag(.code) { name(entry.json.bytesText, longest: 600) }
        }
      }
      cell("number") { entry.line?.milliseconds.map { TimeText.length($0 / 1_000) } ?? "" }
    }
  }

  /// The result of a function's run on an event.
  @HTMLBuilder private func run(_ line: ClockLine, _ code: String) -> HTML {
    switch line.kind {
    case "schedule": "Its schedule came due"
    case "http", "queued": "It was called"
    case "wake-up": "It was woken, as it had asked"
    case let kind?: name(kind)
    case nil: HTML()
    }
    let page = line.event.map { Address("event", $0).with("function", line.function) }
    if let page {
      " · "
      tag(.a, .href(page)) {
        "the event"
        unseen(" \(line.event ?? "")")
      }
    }
    if code != "OK" {
      " "
      badge(code, "bad")
      if let error = line.error { name(" \(error)", longest: 300) }
      if let page {
        " "
        tag(.a, .href(page)) {
          "What to do"
          unseen(" about \(line.event ?? "")")
        }
      }
    }
  }
}

/// A line of what happened, read once.
private struct Entry: Sendable {
  let json: RawJSON
  /// The same as a value; `nil` where a journal of the bundle's own has members of these names with other values.
  let line: ClockLine?
  let time: Date?
  let function: String
  /// The sentence that the journal has for it.
  let sentence: String?

  /// Reads a line; `nil` for the clock's own, which has no time.
  init?(_ json: RawJSON) {
    let line = try? JSONCoding.decode(ClockLine.self, from: json)
    guard line != nil || json["time"] != nil else { return nil }
    (self.json, self.line, sentence) = (json, line, json["line"]?.stringValue)
    time = line?.time ?? json["time"]?.stringValue.flatMap(RFC3339.date)
    function = line?.function ?? json["function"]?.stringValue ?? ""
  }
}

extension RawJSON {
  fileprivate var bytesText: String { String(decoding: onOneLine.bytes, as: UTF8.self) }
}
