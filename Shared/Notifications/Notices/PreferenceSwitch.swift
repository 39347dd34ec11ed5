extension Kind {
  /// A person's switch, which projects or groups may have too.
  package struct PreferenceSwitch: Sendable, Hashable {
    /// Its column; `nil` for the kind's own, under its name in `notification_settings.switches`.
    package let column: String?
    /// The column of the switch that decides if this one was never set.
    package let shared: String?
    /// Whether projects or groups have it too.
    package let isInGroups: Bool
    /// The same as `shared`, for a group's switches.
    package let sharedInGroups: String?
    /// The column of the switch of a single proposal, which decides first.
    package let ofProposal: String?

    /// The kind's own switch.
    static let own = PreferenceSwitch(nil)

    init(
      _ column: String?, following shared: String? = nil, inGroups isInGroups: Bool = false,
      inGroupsFollowing sharedInGroups: String? = nil, ofProposal: String? = nil
    ) {
      (self.column, self.shared, self.isInGroups) = (column, shared, isInGroups)
      (self.sharedInGroups, self.ofProposal) = (sharedInGroups, ofProposal)
    }
  }
}
