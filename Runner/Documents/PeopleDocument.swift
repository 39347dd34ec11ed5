package import FoundationEssentials

/// The people whom a search finds.
package struct PeopleDocument: Codable, Sendable {
  package var found: [PersonSummary]
  /// Whether there are more than are listed.
  package var hasMore: Bool
  /// The one whom the search means; absent if it fits several, or nobody.
  package var page: PersonDocument?
  /// The notifications that people are told later, the first due first; with `--waiting` only.
  package var waiting: [Waiting]?

  package init(
    _ found: [PersonSummary], hasMore: Bool, page: PersonDocument? = nil, waiting: [Waiting]? = nil
  ) {
    (self.found, self.hasMore, self.page, self.waiting) = (found, hasMore, page, waiting)
  }

  /// Held notifications of one person, kind and subject that are due at the same time.
  package struct Waiting: Codable, Sendable {
    package var person: PersonSummary
    package var app: String
    /// The kind of notification.
    package var kind: String
    /// Why they wait, such as `quiet_hours`.
    package var reason: String
    package var count: Int
    package var until: Date
    /// How many of what, such as `3 votes`; absent if the kind has no such words.
    package var words: String?
    /// The name of the subject, such as a feedback's title; absent where it has none.
    package var subjectName: String?
    /// Their words as they were written, each once, the newest first, 2 at most; absent where there are none.
    package var said: [DecisionReport.Words]?

    /// The pushes that tell of them then, as things stand; empty if none would go out, absent where it cannot be known yet,
    /// or after the first 10.
    package var messages: [Message]?

    /// The most that have ``messages``: each moment is decided as if it had come.
    package static let mostForeseen = 10
    /// The most of ``said``.
    package static let mostSaid = 2

    /// Whether one push tells of all of them.
    package var isToldTogether: Bool {
      guard let messages, !messages.isEmpty else {
        return count > 1 && ["batched", "quiet_hours", "muted"].contains(reason)
      }
      return count > 1 && messages.count == 1
    }

    package init(
      person: PersonSummary, app: String, kind: String, reason: String, count: Int, until: Date, words: String? = nil,
      subjectName: String? = nil
    ) {
      (self.person, self.app, self.kind, self.reason) = (person, app, kind, reason)
      (self.count, self.until, self.words, self.subjectName) = (count, until, words, subjectName)
    }

    /// The words for what waits and how it is told, such as `3 votes on Night mode, told in one message at`; the time
    /// follows.
    package var sentence: String {
      let number = count == 1 ? "" : "\(count) × "
      let what = words ?? number + kind.replacing("_", with: " ")
      let way = count == 1 ? "told" : isToldTogether ? "told in one message" : "told one by one"
      return "\(what)\(subjectName.map { " on \($0)" } ?? ""), \(way) at"
    }
  }
}

extension PeopleDocument {
  /// A push that goes out when a wait is over.
  package struct Message: Codable, Sendable {
    /// The newest notification that it tells of: several that wait are told together by the one with the same.
    package var newest: RowID
    /// How many of those that wait it tells of.
    package var count: Int
    package var said: DecisionReport.Words
    /// The words that the person's phone shows until then, whose place it takes; absent if there are none.
    package var replaces: DecisionReport.Words?
    /// Whether its words count what it takes the place of, too; absent if not.
    package var countsReplaced: Bool?

    package init(newest: RowID, count: Int, said: DecisionReport.Words) {
      (self.newest, self.count, self.said) = (newest, count, said)
    }
  }
}

/// A person, as support knows them.
package struct PersonSummary: Codable, Sendable, Equatable {
  package var id: RowID
  package var name: String?
  package var email: String?
  package var timeZone: String?

  package init(id: RowID, name: String?, email: String?, timeZone: String? = nil) {
    (self.id, self.name, self.email, self.timeZone) = (id, name, email, timeZone)
  }
}

/// A device, with what may be shown of it.
package struct DeviceSummary: Codable, Sendable {
  package var id: RowID
  /// The system, as the app registered it, such as `iOS`.
  package var platform: String
  package var provider: Provider
  /// The first 8 characters of its token.
  package var token: String

  package init(id: RowID, platform: String, provider: Provider, token: String) {
    (self.id, self.platform, self.provider, self.token) = (id, platform, provider, token)
  }
}

/// Who delivers a device's pushes.
package enum Provider: String, Codable, Sendable, CaseIterable {
  case apns, fcm

  /// Its name for people.
  package var title: String { self == .fcm ? "FCM" : "APNs" }
}
