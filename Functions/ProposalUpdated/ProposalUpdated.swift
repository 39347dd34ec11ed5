import FoundationEssentials
import FunctionKit
import Notifications
import StoreLive

/// Asks people to vote again after the options of a proposal changed, and deletes their old votes.
@main
struct ProposalUpdated: NotifyingFunction {
  struct Row: Decodable, Sendable {
    let id: UUID
    let optionsVersion: Int

    private enum CodingKeys: String, CodingKey {
      case id
      case optionsVersion = "options_version"
    }
  }

  static let summary = "Asks voters to vote again on new options (update of event_proposals.options_version)."
  let store: NotificationStore

  static func live(_ environment: Environment) throws -> Self {
    Self(store: try .live(environment, name: name))
  }

  func handle(_ event: Event<RowChange<Row>>, _ context: Context) async throws -> RawJSON {
    let (old, new) = try event.data.updated(in: "event_proposals")
    let (eventContext, version) = (EventContext(event, context), new.optionsVersion)
    guard old.optionsVersion != version else {
      return try NotificationResult.nothing(eventContext, because: "unchanged").json
    }

    let result = try await store.notify(eventContext) { database -> Announcement<OptionsChange>? in
      guard let (proposal, proposer) = try await database.proposal(new.id) else { return nil }
      let notice = OptionsChange(
        of: proposal, options: try await database.optionCount(of: proposal), version: version)
      return Announcement(notice, about: proposal, version: version, of: database.event, except: proposer)
    }
    return try result.json
  }
}
