package import FoundationEssentials

/// A person's vote on one option of a proposal.
package enum ProposalVote: String, Sendable, Codable {
  case yes, maybe, no
}

/// An option of a proposal with its votes.
package struct OptionTally: Sendable, Equatable {
  /// The option's id.
  package let option: UUID
  /// When the event would start.
  package let startsAt: Date
  /// How many say yes.
  package private(set) var yes: Int
  /// How many say maybe.
  package private(set) var maybe: Int
  /// When the last of these votes was cast.
  private var lastVote: Date

  /// - Parameter lastVote: when the last yes or maybe was cast; `nil` if there is none.
  package init(option: UUID, startsAt: Date, yes: Int, maybe: Int, lastVote: Date?) {
    (self.option, self.startsAt, self.yes, self.maybe) = (option, startsAt, yes, maybe)
    self.lastVote = lastVote ?? .distantPast
  }

  mutating func add(_ vote: ProposalVote, at moment: Date) {
    switch vote {
    case .yes: yes += 1
    case .maybe: maybe += 1
    case .no: return
    }
    lastVote = max(lastVote, moment)
  }

  fileprivate func leads(_ other: Self) -> Bool {
    if yes != other.yes { return yes > other.yes }
    if maybe != other.maybe { return maybe > other.maybe }
    if lastVote != other.lastVote { return lastVote < other.lastVote }
    return option.uuidString < other.option.uuidString
  }
}

extension [OptionTally] {
  /// The option with the most yes, then the most maybe; `nil` without any yes.
  ///
  /// Among equal options, the first to get there leads, so that a tie changes nothing.
  package var leader: OptionTally? { filter { $0.yes > 0 }.min { $0.leads($1) } }

  /// The tallies with one more vote.
  package func adding(_ vote: ProposalVote?, for option: UUID?, at moment: Date) -> [OptionTally] {
    guard let vote else { return self }
    return map { tally in
      var tally = tally
      if tally.option == option { tally.add(vote, at: moment) }
      return tally
    }
  }
}
