package import FoundationEssentials
import FunctionKit
package import TestSupport

/// People with devices, settings, projects and groups, and what they do, as SQL and as the events that tell of it.
///
/// Everything comes from one seed. Nothing depends on the machine's time, on a database or on what functions do.
package struct World: Sendable {
  /// A word of every title that must not be shown.
  package static let secret = "SECRET"
  /// The apps that people have.
  package static let apps = ["feedbackkit", "lockitin", "messageai", "mugshot", "repairminder"]

  /// The zones that people choose from, beside a name that no zone has.
  package static let zones = [
    "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC", "America/Santiago",
  ]

  /// The languages that people choose from: five that have texts, and one that has none.
  package static let languages = ["de-AT", "ja", "ar-EG", "fr-CA", "en-GB", "en", "tlh"]

  let habits: Habits
  var random: SplitMix
  /// When people act.
  package var clock: Date

  package internal(set) var people: [Person] = []
  var projects: [Project] = []
  package internal(set) var groups: [Group] = []
  package internal(set) var feedbacks: [Feedback] = []
  package internal(set) var proposals: [Proposal] = []
  /// Friend requests and invitations.
  package internal(set) var requests: [Request] = []
  var posts: [Post] = []
  var proposalVotes: [Row] = []
  var conflicts: [Row] = []
  /// Rows of inboxes that somebody may read.
  var entries: [Row] = []
  var devices = 0
  /// The statements that make the people and all that they have at the beginning.
  package private(set) var setUp: [String] = []

  package struct Person: Sendable {
    package let id: String
    package let name: String
    let email: String
  }

  struct Project: Sendable {
    let id: String
    /// The owner is the first.
    let people: [String]
  }

  package struct Group: Sendable {
    package let id: String
    package internal(set) var members: [String]
  }

  package struct Feedback: Sendable {
    var row: Row
    let project: Project
    let author: Author
    /// Since when it has its status.
    package internal(set) var statusSince = Date.distantPast
    var formerStatus: String?

    package var id: String { row.id }
    package var status: String { row["status"] ?? "" }
  }

  /// A vote for a feedback, or a comment.
  struct Post: Sendable {
    let row: Row
    let feedback: String
    let author: Author
  }

  package struct Proposal: Sendable {
    var row: Row
    /// The place of its group.
    package let group: Int
    package let creator: String
    package let deadline: Date
    var options: [Option]
    /// When who leads can have changed.
    package internal(set) var votedAt = Date.distantPast

    package var id: String { row.id }
    package var isOpen: Bool { row["status"] == "open" }
  }

  struct Option: Sendable {
    let id: String
    var start: Date
  }

  package struct Request: Sendable {
    var row: Row
    package let recipient: String

    /// The subject: itself, or the group.
    package var subject: String { row["group_id"] ?? row.id }
  }

  package init(_ habits: Habits, seed: SplitMix, at start: Date) {
    (self.habits, random, clock) = (habits, seed, start)
    setUp = populate()
  }

  /// The clock as a text.
  var time: String { RFC3339.string(clock) }

  /// One of the kinds of acts happens, each as often as its number says.
  package mutating func act(among kinds: KeyValuePairs<Deed, Int>) -> [Act] {
    var place = random.number(0..<kinds.reduce(0) { $0 + $1.value })
    for (deed, weight) in kinds {
      place -= weight
      if place < 0 { return act(deed) }
    }
    return []
  }

  /// Something happens; nothing where there is nobody or nothing that it could happen to.
  package mutating func act(_ deed: Deed) -> [Act] {
    switch deed {
    case .createFeedback: createFeedback()
    case .comment: comment()
    case .vote: vote()
    case .flood: (0..<30).flatMap { _ in vote() }
    case .takeBack: takeBack()
    case .changeStatus: changeStatus()
    case .propose: propose()
    case .voteOnProposal: voteOnProposal()
    case .changeOptions: changeOptions()
    case .withdrawVote: withdrawVote()
    case .computeConflicts: computeConflicts()
    case .confirm: confirm()
    case .collide: collide()
    case .befriend: befriend()
    case .invite: invite()
    case .answer: answer()
    case .insertEntry: insertEntry()
    case .readEntry: readEntry()
    case .loseBadge: loseBadge()
    case .look: look()
    case .read: read()
    case .readAll: readAll()
    case .changePolicy: [Act(changePolicy())]
    case .changeZone: [Act(changeZone())]
    case .changeMute: [Act(changeMute())]
    case .changeSwitch: [Act(changeSwitch())]
    case .changeDevice: [Act(changeDevice())]
    case .changeMembership: changeMembership()
    case .sleepThroughMuch: sleepThroughMuch()
    }
  }

  /// Something happens that is undone before anybody reads it: the row is as it was before, or gone.
  package mutating func actInVain(among kinds: KeyValuePairs<Deed, Int>) -> [Act] {
    var other = self
    let acts = other.act(among: kinds)
    random = other.random
    return acts.map { act in
      let event = random.percent(50) ? act.event?.aboutNoRow(random.id()) : act.event
      return Act([], event)
    }
  }

  mutating func person() -> Person { random.pick(people) }

  mutating func app() -> String { random.pick(Self.apps) }

  /// Usually one of the last few, so that much happens to it.
  mutating func place(among count: Int, last few: Int = 3) -> Int {
    count - 1 - random.number(0..<(random.percent(habits.focus) ? min(count, few) : count))
  }
}
