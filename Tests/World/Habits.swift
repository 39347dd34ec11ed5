/// How many people there are, and how they are.
package struct Habits: Sendable {
  let people: Int
  /// How often, in percent, something happens where much has happened already.
  let focus: Int
  /// How many things were switched on or off before the beginning.
  let switches: Int
  /// For how many seconds somebody looks at something: one of these.
  let stays: [Int]
  /// Whether people also vote when voting has ended.
  let votesLate: Bool
  /// Whether apps also insert entries of kinds that nobody knows, which functions refuse.
  let insertsUnknownKinds: Bool

  package init(
    people: Int, focus: Int, switches: Int = 0, stays: [Int] = [0], votesLate: Bool = false,
    insertsUnknownKinds: Bool = false
  ) {
    (self.people, self.focus, self.switches, self.stays) = (people, focus, switches, stays)
    (self.votesLate, self.insertsUnknownKinds) = (votesLate, insertsUnknownKinds)
  }
}
