package import FoundationEssentials
package import Notifications
import Postgres

extension Announcement<NewProposal> {
  /// A new proposal to the members of its group.
  package init(_ notice: NewProposal, about proposal: Proposal, except proposer: Actor, at now: Date) {
    let people: SQL = """
      SELECT m.user_id, 'member' AS reason,
        m.user_id = p.created_by OR p.deadline <= \(now)
          OR EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = m.user_id) AS is_handled
      FROM group_members m WHERE m.group_id = p.group_id
      """
    self.init([notice], to: .people(people, around: proposal), except: proposer)
  }
}

extension Announcement<VoteOnProposal> {
  /// A vote for the proposer.
  ///
  /// The proposer is left out if they are notified of the new lead and did not switch on notifications about votes. The
  /// devices of all other voters get the new count in the background.
  package init(
    _ notice: VoteOnProposal, about proposal: Proposal, change: VoteChange, isNewLead: Bool, of event: EventContext,
    except actor: Actor
  ) {
    let settings = SettingsSQL(of: notice.kind, for: "o")
    let people: SQL = """
      SELECT o.user_id, 'organizer' AS reason, o.user_id = \(change.voter) AS is_handled
      FROM (SELECT p.created_by AS user_id, p.id AS proposal_id, p.group_id AS scope_id) o
      \(settings.tables)
      WHERE NOT \(isNewLead) OR coalesce(\(settings.override), \(settings.personal), false) OR NOT EXISTS (
        SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = p.created_by)
      """
    self.init([notice], to: .people(people, around: proposal), except: actor)
    lead = proposal.id
    voteCount = VoteCount(proposal: proposal.id, voters: actor.accounts.union([change.voter]), event: event)
  }
}

extension Announcement<VoteOnProposal> {
  /// A vote that was deleted: nobody is told of it, but devices get the new count in the background.
  ///
  /// The voter's own get it, too: the vote may have gone with its option.
  package init(withoutVoteOn proposal: UUID, of event: EventContext) {
    self.init([], to: .nobody)
    voteCount = VoteCount(proposal: proposal, voters: [], event: event)
  }
}

extension Announcement<LeadingOptionChange> {
  /// A new lead for everybody who has voted, except people who were asked about for the vote itself.
  package init(
    _ notice: LeadingOptionChange, about proposal: Proposal, change: VoteChange, without told: [UUID],
    except actor: Actor, at now: Date
  ) {
    let people: SQL = """
      SELECT DISTINCT v.user_id, 'voter' AS reason, v.user_id = \(change.voter) AS is_handled
      FROM proposal_votes v
      WHERE v.proposal_id = p.id AND v.user_id <> ALL (\(told))
      """
    let remembering: SQL = """
      INSERT INTO proposal_leads (proposal_id, option_id, changed_at)
      VALUES (\(proposal.id), \(notice.option), \(now))
      ON CONFLICT (proposal_id) DO UPDATE SET option_id = excluded.option_id, changed_at = excluded.changed_at
      """
    self.init([notice], to: .people(people, around: proposal), except: actor, closing: [remembering])
    newLead = proposal.id
  }
}

extension Announcement<OptionsChange> {
  /// New options, for everybody who voted on earlier ones, also where their votes went with their options.
  ///
  /// When all are notified, the votes of the people who were notified are deleted, and the lead with them.
  ///
  /// - Parameter version: the version of the new options. Votes on them stay.
  package init(
    _ notice: OptionsChange, about proposal: Proposal, version: Int, of event: EventContext, except actor: Actor
  ) {
    let isOld: SQL = "v.proposal_id = p.id AND coalesce(v.options_version, 0) < \(version)"
    let people: SQL = """
      SELECT DISTINCT v.user_id, 'voter' AS reason,
        p.deadline <= \(event.now) OR EXISTS (
          SELECT FROM proposal_votes w
          WHERE w.proposal_id = p.id AND w.user_id = v.user_id AND w.options_version >= \(version)) AS is_handled
      FROM (
        SELECT proposal_id, user_id, options_version FROM proposal_votes
        UNION ALL SELECT proposal_id, user_id, options_version FROM proposal_lost_votes
      ) v WHERE \(isOld)
      """
    // A person whose vote came after their page was decided is not notified and keeps the vote.
    let deletion: (_ votes: SQL) -> SQL = { votes in
      """
      DELETE FROM \(votes) v USING event_proposals p
      WHERE p.id = \(proposal.id) AND p.status = 'open' AND p.deadline > \(event.now) AND \(isOld)
        AND EXISTS (SELECT FROM decisions d WHERE \(event.decided("d")) AND d.user_id = v.user_id)
      """
    }
    self.init(
      [notice], to: .people(people, around: proposal), except: actor,
      closing: [
        deletion("proposal_votes"), deletion("proposal_lost_votes"),
        "DELETE FROM proposal_leads WHERE proposal_id = \(proposal.id)",
      ] + [.endLeads(of: proposal.id, at: event.now)].asOwnWrites)
  }
}

extension Announcement<EventConfirmation> {
  /// A confirmation for all members of the group whom no earlier event has notified of it.
  package init(_ notice: EventConfirmation, about proposal: Proposal, of event: EventContext, except actor: Actor) {
    let people: SQL = """
      SELECT m.user_id, 'member' AS reason, false AS is_handled FROM group_members m
      WHERE m.group_id = p.group_id AND NOT EXISTS (
        SELECT FROM notifications n
        WHERE n.user_id = m.user_id AND n.app = \(App.lockItIn.rawValue) AND n.dedupe_key = \(notice.dedupeKey as String?)
          AND NOT \(event.caused("n")))
      """
    self.init(
      [notice], to: .people(people, around: proposal, as: notice.subject, while: "confirmed"), except: actor)
  }
}

extension Audience {
  /// People around a proposal `p`.
  /// - Parameters:
  ///   - people: a query with the columns `user_id, reason, is_handled`, which may use `p`.
  ///   - subject: the subject of the notice; `nil` for the proposal.
  ///   - status: the status that the proposal must have; with another one, everybody is `handled`.
  fileprivate static func people(
    _ people: SQL, around proposal: Proposal, as subject: Subject? = nil, while status: String = "open"
  ) -> Audience {
    Audience(
      people: """
        SELECT r.user_id, \((subject ?? .proposal(proposal.id)).id)::text AS subject_id, r.reason,
          p.group_id AS scope_id, p.id AS proposal_id,
          CASE
            WHEN NOT EXISTS (SELECT FROM group_members m WHERE m.group_id = p.group_id AND m.user_id = r.user_id)
              THEN 'not_permitted'
            WHEN r.is_handled OR p.status <> \(status) THEN 'handled'
          END AS eligibility
        FROM event_proposals p
        CROSS JOIN LATERAL (\(people)) r
        WHERE p.id = \(proposal.id)
        """)
  }
}

extension SQL {
  /// Takes entries about a lead out of the inbox: the votes on which it stood are gone.
  fileprivate static func endLeads(of proposal: UUID, at now: Date) -> SQL {
    """
    UPDATE notifications n
    SET is_archived = true, is_gone = true, phone_text = \(textOnPhone), updated_at = \(now)
    WHERE n.proposal_id = \(proposal) AND n.family = 'leads' AND n.merged_into IS NULL
      AND n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE
      AND NOT EXISTS (SELECT FROM held_notifications h WHERE h.notification_id = n.id)
    """
  }
}

extension Announcement<DeadlineReminder> {
  /// Reminders to the members of each proposal's group who have not voted and are due for one.
  package init(_ reminders: [DeadlineReminder], of event: EventContext) {
    self.init(reminders, to: .unreminded(reminders, event))
  }
}

extension Audience {
  // The next tick considers a person who is left out here again; so no decision is recorded every minute.
  fileprivate static func unreminded(_ reminders: [DeadlineReminder], _ event: EventContext) -> Audience {
    let recently = event.now.addingTimeInterval(-DeadlineReminder.pauseAfterCreation)
    let subjects: SQL = .rows(
      "d", ["id": "\(reminders.map(\.subject.id))", "dedupe_key": "\(reminders.map(\.dedupeKey))"])
    // The push about the proposal, which may have waited for its provider.
    let isOnItsWay: SQL = """
      s.state = 'queued' AND NOT EXISTS (
        SELECT FROM deliveries a WHERE a.notification_id = n.id AND a.accepted_at IS NOT NULL)
      """
    return Audience(
      people: """
        SELECT m.user_id, d.id AS subject_id, 'member' AS reason, NULL AS eligibility, p.group_id AS scope_id
        FROM \(subjects)
        JOIN event_proposals p ON p.id = d.id::uuid
        JOIN group_members m ON m.group_id = p.group_id
        WHERE NOT EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = m.user_id)
          AND NOT EXISTS (
            SELECT FROM notifications n
            WHERE n.user_id = m.user_id AND n.app = \(App.lockItIn.rawValue) AND n.dedupe_key = d.dedupe_key
              AND NOT \(event.caused("n")))
          AND NOT EXISTS (
            SELECT FROM notifications n JOIN deliveries s ON s.notification_id = n.id
            WHERE n.user_id = m.user_id AND n.proposal_id = p.id AND lower(n.type) = \(NewProposal.kind.name)
              AND (greatest(s.created_at, s.accepted_at) > \(recently) OR s.expires_at > \(event.now) AND \(isOnItsWay)))
          AND (m.user_id = p.created_by AND p.created_at > \(recently)) IS NOT TRUE
        """)
  }
}
