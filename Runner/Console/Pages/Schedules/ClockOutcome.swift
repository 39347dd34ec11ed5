import CLI
import Documents
import FunctionKit

/// The events while the clock was moved, as `runner clock advance --json` prints them.
struct ClockOutcome {
  var lines: RawJSON

  /// The most lines that a page shows.
  private static let most = 1_000

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
          ("at", { $0["time"]?.stringValue }), ("function", { $0["function"]?.stringValue }),
          ("what", { $0["line"]?.stringValue ?? $0["kind"]?.stringValue }), ("event", { $0["event"]?.stringValue }),
          ("code", { $0["code"]?.stringValue }), ("milliseconds", { $0["milliseconds"]?.printable }),
          ("error", { $0["error"]?.stringValue }),
        ])
    }
  }

  /// The events without the clock's own line.
  private var entries: [RawJSON] { (lines.elements ?? []).filter { $0["time"] != nil } }

  /// A table of all lines.
  ///
  /// - Parameter sentence: says that there is none.
  func html(otherwise sentence: String) -> HTML {
    let all = entries
    guard !all.isEmpty else { return emptiness(sentence) }
    return table("What happened", ["at", "function", "what", "took"], numbers: ["took"], class: "stack") {
      for line in all.prefix(Self.most) { row(line) }
    }
      + (all.count > Self.most
        ? tag(.p, .class("faint")) { "The first \(Self.most) of \(all.count) lines are shown." } : HTML())
  }

  private func row(_ json: RawJSON) -> HTML {
    let line = try? JSONCoding.decode(ClockLine.self, from: json)
    return tag(.tr) {
      // A journal of the bundle's own may have members of these names with other values.
      cell("tight") {
        (line?.time ?? json["time"]?.stringValue.flatMap(RFC3339.date)).map { time($0, hasSeconds: true) }
      }
      cell { name(line?.function ?? json["function"]?.stringValue ?? "") }
      cell("text") {
        if let line, let code = line.code {
          run(line, code)
        } else if let sentence = json["line"]?.stringValue {
          name(sentence.prefix(1).uppercased() + sentence.dropFirst(), longest: 600)
        } else {
          tag(.code) { name(json.bytesText, longest: 600) }
        }
      }
      cell("number") { line?.milliseconds.map { TimeText.length($0 / 1_000) } ?? "" }
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

extension RawJSON {
  fileprivate var bytesText: String { String(decoding: onOneLine.bytes, as: UTF8.self) }
}
