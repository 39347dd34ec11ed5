extension Kind {
  /// Every kind of every app.
  public static let catalogue: [Kind] =
    [NewFeedback.kind, NewComment.kind, NewVote.kind, StatusChange.kind]
    + lockItIn + repairMinder + mugshot + [.smartNotification]

  private static let lockItIn =
    aboutVotes + [
      EventConfirmation.kind, EventDayBefore.kind, EventStartingSoon.kind, TimeToLeave.kind, ConflictAlert.kind,
      FriendRequest.kind, GroupInvite.kind, MemoryPrompt.kind,
    ]

  /// The kind of an app with this name, written in any case.
  public static func named(_ name: String, of app: App) -> Kind? {
    catalogue.first { $0.app == app && $0.name == name.lowercased() }
  }
}
