public import PushPayload

/// What waited for the end of somebody's quiet hours, told in one push.
public struct QuietSummary: Sendable, Equatable {
  /// Up to this many things are told one by one; more of them in one push.
  public static let mostAlone = 3
  /// The type of its notifications, which no app can insert: it stands in no catalogue.
  public static let typeName = "quiet_summary"
  /// The name under which the next summary takes its place on the phone.
  public static let collapseID = "quiet summary"
  private static let mostNamed = 3
  private static let longestTitle = 100

  private let titles: [String]

  /// A summary of things by their titles, as their person reads them; the first ones are named.
  public init(of titles: [String]) { self.titles = titles }

  /// The words: how many things there are, and the first titles with how often each is there.
  public var text: NotificationText {
    var distinct: [(title: String, count: Int)] = []
    for title in titles where !title.isEmpty {
      if let place = distinct.firstIndex(where: { $0.title == title }) {
        distinct[place].count += 1
      } else {
        distinct.append((title, 1))
      }
    }
    let named = distinct.prefix(Self.mostNamed)
    let rest = titles.count - named.reduce(0) { $0 + $1.count }
    let names = named.map { $0.title.shortened(toScalars: Self.longestTitle) + ($0.count > 1 ? " (\($0.count))" : "") }
    let body = names + (names.isEmpty ? ["Tap to view"] : rest > 0 ? ["\(rest) more"] : [])
    return NotificationText(
      title: "\(titles.count) things while it was quiet", body: body.joined(separator: " • "))
  }

  /// The app's own keys.
  public func values(in app: App) -> [String: PushPayload.Value] {
    app == .lockItIn
      ? LockItInPush.quietSummary(count: titles.count).values
      : ["type": .string(Self.typeName), "count": .integer(titles.count)]
  }
}

extension Kind {
  /// The kind of summaries, which have no switch of their own among the kinds and leave nothing in the inbox.
  public static func quietSummary(of app: App) -> Kind {
    Kind(app, QuietSummary.typeName, importance: .normal, preference: .own, countsForBadge: false)
  }
}
