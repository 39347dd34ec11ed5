/// The people whom a search finds.
package struct PeopleDocument: Codable, Sendable {
  package var found: [PersonSummary]
  /// Whether there are more than are listed.
  package var hasMore: Bool
  /// The one whom the search means; absent if it fits several, or nobody.
  package var page: PersonDocument?

  package init(_ found: [PersonSummary], hasMore: Bool, page: PersonDocument? = nil) {
    (self.found, self.hasMore, self.page) = (found, hasMore, page)
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
