extension ForeignAct {
  private static let (ada, ben) = ("'a0000000-0000-4000-8000-000000000001'", "'a0000000-0000-4000-8000-000000000002'")
  private static let (group, otherGroup) = (
    "'f0000000-0000-4000-8000-000000000001'", "'f0000000-0000-4000-8000-000000000002'"
  )
  private static let (proposal, lateProposal) = (
    "'f4000000-0000-4000-8000-000000000001'", "'f4000000-0000-4000-8000-000000000002'"
  )
  private static let (option, event) = (
    "'f5000000-0000-4000-8000-000000000001'", "'fa000000-0000-4000-8000-000000000001'"
  )

  /// Ada and Ben are College Friends, and times are in UTC.
  ///
  /// Ada proposes, Ben votes, and so on until the event. Of a proposal the app tells, too, in its own words: whichever
  /// comes first is told.
  static let lockItIn = [
    ForeignAct(
      functions: ["proposal-created", "push-delivery"],
      sql: """
        INSERT INTO event_proposals (id, group_id, created_by, event_title, deadline)
        VALUES (\(proposal), \(group), \(ada), 'Game Night', (now() AT TIME ZONE 'UTC') + interval '24 hours')
        """,
      told: ["Ben": "Ada proposed Game Night: Vote needed • "], badges: ["Ben": 1]),
    ForeignAct(
      functions: ["proposal-vote-cast", "action-completed"],
      sql: """
        UPDATE event_proposals SET notify_vote_cast = true WHERE id = \(proposal);
        INSERT INTO proposal_votes (proposal_id, user_id, vote) VALUES (\(proposal), \(ben), 'yes')
        """,
      told: ["Ada": "Ben voted Yes: on Game Night"], badges: ["Ben": 0]),
    ForeignAct(
      functions: ["proposal-updated"],
      sql: """
        INSERT INTO proposal_options (id, proposal_id, starts_at, ends_at)
        VALUES (\(option), \(proposal), now() + interval '5 days', now() + interval '124 hours');
        UPDATE event_proposals SET options_version = options_version + 1 WHERE id = \(proposal)
        """,
      told: ["Ben": "Game Night times changed: Please vote again on new options"], badges: ["Ben": 1]),
    ForeignAct(
      functions: ["conflict-detected"],
      sql: """
        INSERT INTO event_conflicts (proposal_id, user_id, existing_event_id, existing_title)
        VALUES (\(proposal), \(ben), gen_random_uuid(), 'Dentist')
        """,
      told: [
        "Ada": "Ben has a scheduling conflict: with Game Night on ",
        "Ben": "You have a scheduling conflict: Game Night conflicts with Dentist",
      ]),
    ForeignAct(
      functions: ["event-confirmed"],
      sql: """
        INSERT INTO events (id, group_id, proposal_id, option_id, created_by, title, starts_at, ends_at)
        VALUES (\(event), \(group), \(proposal), \(option), \(ada), 'Game Night',
          (now() AT TIME ZONE 'UTC') + interval '30 minutes', (now() AT TIME ZONE 'UTC') + interval '4 hours');
        INSERT INTO event_attendees (event_id, user_id, status) VALUES (\(event), \(ada), 'yes'), (\(event), \(ben), 'no');
        UPDATE event_proposals SET status = 'confirmed' WHERE id = \(proposal)
        """,
      told: ["Ada": "Game Night confirmed!: ", "Ben": "Game Night confirmed!: "], badges: ["Ben": 0]),
    ForeignAct(
      functions: ["event-reminder"], due: "event-reminder",
      told: ["Ada": "Game Night starts in "]),
    ForeignAct(
      functions: ["proposal-created"],
      sql: """
        INSERT INTO event_proposals (id, group_id, created_by, event_title, deadline, created_at)
        VALUES (\(lateProposal), \(group), \(ben), 'Picnic', (now() AT TIME ZONE 'UTC') + interval '2 hours',
          (now() AT TIME ZONE 'UTC') - interval '2 hours')
        """,
      told: ["Ada": "Ben proposed Picnic: Vote needed • "], badges: ["Ada": 1]),
    ForeignAct(
      functions: ["proposal-reminder"], due: "proposal-reminder",
      told: ["Ben": "Picnic voting closes in 2 hours: College Friends needs your response"]),
    ForeignAct(
      functions: ["proposal-expired"],
      sql: """
        UPDATE event_proposals SET deadline = (now() AT TIME ZONE 'UTC') - interval '1 minute' WHERE id = \(lateProposal)
        """,
      due: "proposal-expired", badges: ["Ada": 0, "Ben": 0]),
    ForeignAct(
      functions: ["friend-requested", "release-held"],
      sql: "INSERT INTO friend_requests (requester_id, recipient_id) VALUES (\(ben), \(ada))", isQuiet: true,
      told: ["Ada": "Ben sent you a friend request: Tap to view"], badges: ["Ada": 1]),
    ForeignAct(
      functions: ["group-invited"],
      sql: """
        INSERT INTO groups (id, name) VALUES (\(otherGroup), 'Book Club');
        INSERT INTO group_invites (group_id, inviter_id, invitee_id) VALUES (\(otherGroup), \(ben), \(ada))
        """,
      told: ["Ada": "You were added to Book Club: Ben invited you"], badges: ["Ada": 2]),
    ForeignAct(
      functions: ["notification-created"],
      sql: """
        INSERT INTO notifications (user_id, type, title, body)
        VALUES (\(ada), 'FRIEND_REQUEST', 'Friend request', 'Cleo wants to be your friend')
        """,
      told: ["Ada": "Friend request: Cleo wants to be your friend"]),
  ]
}
