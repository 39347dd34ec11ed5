import API
import FunctionKit
import Notifications
import PersonLive
import TimeZones

/// A person's request to mute something, and until when.
struct MuteRequest {
  let scope: MuteScope
  /// `nil` to mute it no longer.
  let end: MuteEnd?
  /// The zone of a time of day; `nil` for the person's.
  let timeZone: TimeZoneRules?

  init(_ fields: Fields) throws(APIError) {
    scope = try MuteScope(fields)
    let minutes = try fields.optional("minutes", .integer(1...Int(MuteEnd.longest / 60)))
    let until = try fields.change("until", .muteEnd)
    timeZone = try fields.optional("timezone", .timeZone).flatMap { try? TimeZoneRules(identifier: $0) }
    guard minutes == nil || !until.isChange else { throw .invalid("until and minutes must not both be given.") }
    guard minutes != nil || until.isChange else { throw .invalid("until is missing.") }
    end = minutes.map(MuteEnd.minutes) ?? until.value
  }
}

extension MuteScope {
  private enum Name: String, CaseIterable { case person, app, project, group, proposal }

  fileprivate init(_ fields: Fields) throws(APIError) {
    let name = try fields.required("scope", .choice as FieldRule<Name>)
    let app: App? =
      name == .app ? try fields.required("app", .choice) : try fields.optional("app", .choice as FieldRule<App>)
    if name == .person, app != nil { throw .invalid("app must be left out for a person.") }
    if name == .person || name == .app, try fields.optional("id", .id) != nil {
      throw .invalid("id must be left out for \(name == .app ? "an app" : "a person").")
    }
    switch name {
    case .person: self = .person
    case .app: self = .app(app ?? .feedbackKit)
    case .project, .group:
      guard let owner = App.allCases.first(where: { $0.profile.groups?.name == name.rawValue }) else {
        throw .notFound
      }
      self = .part(try fields.required("id", .id), of: owner)
    case .proposal: self = .proposal(try fields.required("id", .id))
    }
    if let app, let owner = self.app, app != owner {
      throw .invalid("app must be \(owner.rawValue) for a \(name.rawValue), or be left out.")
    }
  }
}

extension FieldRule where Value == MuteEnd {
  /// An instant, `tomorrow` or a weekday.
  fileprivate static var muteEnd: FieldRule {
    FieldRule("an RFC 3339 time, tomorrow, or a weekday such as monday") { document in
      guard let text = document.stringValue else { return nil }
      if text == "tomorrow" { return .tomorrow }
      return Weekday(rawValue: text).map(MuteEnd.next) ?? RFC3339.date(text).map(MuteEnd.instant)
    }
  }
}
