#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// LockItIn: a proposal on the lock screen while people vote on it.
public struct ProposalActivityAttributes: LiveActivityAttributes {
  /// The proposal's id.
  public var proposal: UUID { proposalID.id }
  /// The group's id.
  public var group: UUID? { groupID?.id }
  /// The title of the proposal; `nil` for a private event.
  public private(set) var title: String?
  /// The group's name.
  public private(set) var groupName: String?
  private let proposalID: ActivityID
  private let groupID: ActivityID?

  /// A proposal of a group.
  public init(proposal: UUID, group: UUID?, title: String?, groupName: String?) {
    (proposalID, groupID) = (ActivityID(id: proposal), group.map { ActivityID(id: $0) })
    (self.title, self.groupName) = (title, groupName)
  }

  private enum CodingKeys: String, CodingKey {
    case proposalID = "proposal_id"
    case groupID = "group_id"
    case title
    case groupName = "group"
  }

  /// The place that a tap opens.
  public var link: DeepLink { .proposal(proposal) }

  /// Cuts the title, then the group's name, each to 40 bytes at most.
  public mutating func shorten(by excess: Int) {
    let before = textSize
    title?.shorten(byEncoded: excess, keeping: 40)
    let left = excess - (before - textSize)
    if left > 0 { groupName?.shorten(byEncoded: left, keeping: 40) }
  }

  private var textSize: Int {
    [title, groupName].compactMap(\.self).joined().unicodeScalars.reduce(0) { $0 + JSONObject.encodedSize(of: $1) }
  }

  /// How the vote stands.
  public struct ContentState: LiveActivityPart {
    /// Whether votes still count.
    public var status: Status
    /// How many people have voted.
    public var votes: Int
    /// How many people the group has; `nil` if it is unknown.
    public var members: Int?
    /// The time that leads, or that was chosen when the proposal is confirmed.
    public var leader: Option?
    /// The proposed times, the earliest first.
    public var options: [Option] { all ?? [] }
    /// How many times are left out of ``options``, because not all fit into a push.
    public var others: Int { leftOut ?? 0 }
    private var all: [Option]?
    private var leftOut: Int?
    private var end: ActivityTime

    /// Until when votes count, to the second.
    public var deadline: Date { end.date }

    /// How a vote stands, with all times.
    public init(
      status: Status, deadline: Date, votes: Int, members: Int? = nil, leader: Option? = nil, options: [Option] = []
    ) {
      (self.status, end, self.votes, self.members) = (status, ActivityTime(deadline), votes, members)
      (self.leader, all) = (leader, options)
    }

    private enum CodingKeys: String, CodingKey {
      case status, votes, members, leader
      case all = "options"
      case leftOut = "others"
      case end = "deadline"
    }

    /// Leaves out times, those with the fewest votes first, but never the one that leads.
    public mutating func shorten(by excess: Int) {
      var (left, dropped) = (excess + #","others":99999"#.utf8.count, Set<UUID>())
      for option in options.reversed().sorted(by: { ($0.yes, $0.maybe ?? 0) < ($1.yes, $1.maybe ?? 0) })
      where left > 0 && option.id != leader?.id {
        left -= (try? option.activityKitJSON.count) ?? 0
        dropped.insert(option.id)
      }
      guard !dropped.isEmpty else { return }
      leftOut = others + dropped.count
      all?.removeAll { dropped.contains($0.id) }
    }
  }

  /// A proposed time and the votes for it.
  public struct Option: Codable, Hashable, Sendable, Identifiable {
    /// The option's id.
    public var id: UUID { optionID.id }
    /// When the event would start, to the second.
    public var start: Date { startsAt.date }
    /// When it would end.
    public var end: Date? { endsAt?.date }
    /// How many can come.
    public var yes: Int
    /// How many may be able to; `nil` if it is not told.
    public var maybe: Int?
    /// How many cannot come; `nil` if it is not told.
    public var no: Int?
    private let optionID: ActivityID
    private let startsAt: ActivityTime
    private let endsAt: ActivityTime?

    /// A time and its votes.
    public init(id: UUID, start: Date, end: Date? = nil, yes: Int, maybe: Int? = nil, no: Int? = nil) {
      (optionID, startsAt, endsAt) = (ActivityID(id: id), ActivityTime(start), end.map { ActivityTime($0) })
      (self.yes, self.maybe, self.no) = (yes, maybe, no)
    }

    private enum CodingKeys: String, CodingKey {
      case optionID = "option_id"
      case startsAt = "starts_at"
      case endsAt = "ends_at"
      case yes, maybe, no
    }
  }

  /// The stages of a proposal.
  public enum Status: String, Codable, Hashable, Sendable, CaseIterable {
    /// People can vote.
    case open
    /// The deadline has passed, and no time is chosen.
    case closed
    /// The group meets at the time of ``ContentState/leader``.
    case confirmed
    /// Its organizer has withdrawn it.
    case cancelled
  }
}
