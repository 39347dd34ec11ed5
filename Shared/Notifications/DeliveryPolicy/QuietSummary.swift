package import PushPayload

/// One push for everything that waited for the end of a person's quiet hours.
package struct QuietSummary: Sendable {
  /// Up to this many notifications go out one by one; more become one push.
  package static let mostAlone = 3
  /// The type of its notifications; no app can insert it, because no catalogue has it.
  package static let typeName = "quiet_summary"
  /// The collapse id, so that the next summary replaces it on the phone.
  package static let collapseID = "quiet summary"
  private static let mostNamed = 3
  private static let longestTitle = 100

  private let titles: [String]
  private let words: Words

  /// A summary of notifications by their titles; the first titles are shown.
  package init(of titles: [String], words: Words = .english) { (self.titles, self.words) = (titles, words) }

  /// The number of notifications, and the first titles with how often each occurs.
  package var text: NotificationText {
    var distinct: [(title: String, count: Int)] = []
    var places: [String: Int] = [:]
    for title in titles where !title.isBlank {
      if let place = places[title] {
        distinct[place].count += 1
      } else {
        places[title] = distinct.count
        distinct.append((title, 1))
      }
    }
    let named = distinct.prefix(Self.mostNamed)
    let rest = titles.count - named.reduce(0) { $0 + $1.count }
    let names = named.map { title, count in
      words.isolated(title.shortened(toScalars: Self.longestTitle)) + (count > 1 ? " (\(count))" : "")
    }
    let more = rest > 0 ? [words("summary.more", ["count": .count(rest)]).text] : []
    let body = names.isEmpty ? [words("summary.body").text] : names + more
    return NotificationText(
      said: words("summary.title", ["count": .count(titles.count)]).text, body.joined(separator: " • "))
  }

  /// The app's own keys.
  package func values(in app: App) -> [String: PushPayload.Value] {
    app.profile.summaryValues(titles.count).merging(["type": .string(Self.typeName)]) { $1 }
  }
}

extension Kind {
  /// The kind of summaries; it has no switch among the kinds and leaves no entry in the inbox.
  package static func quietSummary(of app: App) -> Kind {
    Kind(app, QuietSummary.typeName, importance: .normal, countsForBadge: false)
  }
}
