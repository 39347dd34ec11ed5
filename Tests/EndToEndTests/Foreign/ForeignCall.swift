/// A call of the API by Ada, and what it answers on each foreign database.
struct ForeignCall: Sendable {
  /// As `functions.json` has it.
  let route: String
  /// The value in the place of `{id}` and `{token}`, or behind `?`.
  var place = ""
  /// Members in the form of JSON; `{app}` is the database's app.
  var body = ""
  /// The status on FeedbackKit's databases, Mugshot's, Repair Minder's and LockItIn's.
  let answers: [Int]
  /// The text that an answer of less than 400 has at least.
  var says: String?
  /// The condition in SQL that the database meets after an answer of less than 400.
  var proof: String?
  /// The text that an answer of 400 or more has at least; nil where it is that there is no such thing.
  var reason: String?

  func status(on database: ForeignDatabase) -> Int {
    let place = ["feedbackkit", "mugshot", "repairminder", "lockitin"].firstIndex(of: database.app) ?? 0
    return answers.count == 1 ? answers[0] : answers[place]
  }

  /// In their order: `{device}` is the one that the first call registers, `{entry}` an entry of Ada's inbox, and `{switch}`
  /// the one that her mail's link turns off.
  static let all = [
    ForeignCall(
      route: "POST /api/v1/devices/register",
      body: #"{"token":"{phone}","app":"{app}","platform":"iOS","appVersion":"2026.11.26-nightly.1234+abcdef"}"#,
      answers: [201], says: #""appVersion":"2026.11.26-nightly.1""#),
    ForeignCall(route: "GET /api/v1/devices", place: "?app={app}", answers: [200], says: #""id":"{device}""#),
    ForeignCall(
      route: "POST /api/v1/activities",
      body:
        #"{"app":"lockitin","deviceId":"{device}","attributesType":"ProposalActivityAttributes","token":"{phone}"}"#,
      answers: [404, 404, 404, 201], says: #""deviceId":"{device}""#),
    ForeignCall(
      route: "POST /api/v1/activities",
      body:
        #"{"app":"repairminder","deviceId":"{device}","attributesType":"OrderActivityAttributes","token":"{phone}"}"#,
      answers: [404, 404, 201, 404], says: #""deviceId":"{device}""#),
    ForeignCall(
      route: "DELETE /api/v1/activities/{id}", place: "d0000000-0000-4000-8000-0000000000ff", answers: [404]),
    ForeignCall(route: "DELETE /api/v1/devices/{id}", place: "{device}", answers: [204]),
    ForeignCall(route: "DELETE /api/v1/devices/token/{token}", place: "{phone}", answers: [204]),
    ForeignCall(
      route: "POST /api/user/device-token", body: #"{"deviceToken":"{phone}","platform":"ios"}"#, answers: [201],
      says: #""app":"repairminder""#),
    ForeignCall(route: "DELETE /api/user/device-token", body: #"{"deviceToken":"{phone}"}"#, answers: [204]),

    ForeignCall(
      route: "PATCH /api/v1/auth/notifications", place: "?app={app}", body: #"{"hourlyLimit":7}"#, answers: [200],
      says: #""hourlyLimit":7"#),
    ForeignCall(
      route: "GET /api/v1/auth/notifications", place: "?app={app}", answers: [200], says: #""hourlyLimit":7"#),
    // A FeedbackKit user has columns that other apps' users have not; those of Supabase follow into a table of ours.
    ForeignCall(
      route: "PATCH /api/v1/auth/notifications", body: #"{"pushNotifyVotes":false}"#, answers: [200, 200, 501, 501],
      says: #""pushNotifyVotes":false"#, reason: "users.notify_new_feedback"),
    ForeignCall(
      route: "GET /api/v1/auth/notifications", answers: [200, 200, 501, 501], says: #""pushNotifyVotes":false"#,
      reason: "users.notify_new_feedback"),
    ForeignCall(
      route: "PATCH /api/v1/projects/{id}/notification-preferences", place: project, body: #"{"push":{"votes":true}}"#,
      answers: [200, 404, 404, 404]),
    ForeignCall(
      route: "GET /api/v1/projects/{id}/notification-preferences", place: project, answers: [200, 404, 404, 404],
      says: #""newComments":null,"votes":true"#),
    ForeignCall(
      route: "PATCH /api/v1/groups/{id}/notification-preferences", place: group, body: #"{"push":{"voteCast":true}}"#,
      answers: [404, 404, 404, 200]),
    ForeignCall(
      route: "GET /api/v1/groups/{id}/notification-preferences", place: group, answers: [404, 404, 404, 200],
      says: #""voteCast":true,"voteUpdates":null"#),
    ForeignCall(
      route: "PATCH /api/v1/proposals/{id}/notification-preferences", place: proposal, body: #"{"voteCast":false}"#,
      answers: [404, 404, 404, 200]),
    ForeignCall(
      route: "GET /api/v1/proposals/{id}/notification-preferences", place: proposal, answers: [404, 404, 404, 200],
      says: #""voteCast":false,"effective"#),

    ForeignCall(
      route: "PUT /api/v1/mutes", body: #"{"scope":"group","id":"\#(group)","minutes":60}"#,
      answers: [404, 404, 404, 200], says: #""scope":"group""#),
    // What follows is told at once again.
    ForeignCall(
      route: "PUT /api/v1/mutes", body: #"{"scope":"group","id":"\#(group)","until":null}"#,
      answers: [200], says: #"{"mutes":[]}"#),
    ForeignCall(
      route: "PUT /api/v1/mutes", body: #"{"scope":"app","app":"{app}","minutes":1}"#, answers: [200],
      says: #""app":"{app}""#),
    ForeignCall(route: "GET /api/v1/mutes", answers: [200], says: #""scope":"app""#),
    ForeignCall(
      route: "PUT /api/v1/mutes", body: #"{"scope":"app","app":"{app}","until":null}"#, answers: [200],
      says: #"{"mutes":[]}"#),

    ForeignCall(route: "PUT /api/v1/activity", place: "?app={app}", body: #"{"subjectId":"7"}"#, answers: [204]),
    ForeignCall(route: "DELETE /api/v1/activity", place: "?app={app}", answers: [204]),
    ForeignCall(
      route: "PUT /api/v1/events/{id}/travel", place: event, body: #"{"minutes":25,"mode":"car"}"#,
      answers: [404, 404, 404, 200]),
    ForeignCall(route: "DELETE /api/v1/events/{id}/travel", place: event, answers: [404, 404, 404, 204]),

    ForeignCall(
      route: "GET /api/v1/notifications", place: "?app={app}&unread=true", answers: [200], says: #""id":"{entry}""#),
    ForeignCall(
      route: "GET /api/v1/notifications/unread-count", place: "?app={app}", answers: [200], says: #""unread":"#),
    ForeignCall(route: "POST /api/v1/notifications/{id}/opened", place: "{entry}", body: "{}", answers: [204]),
    ForeignCall(
      route: "POST /api/v1/notifications/{id}/actions", place: "{entry}", body: #"{"action":"FRIEND_ACCEPT"}"#,
      answers: [409, 409, 409, 200], says: #""action":"FRIEND_ACCEPT""#,
      proof: "(SELECT status = 'accepted' FROM friend_requests WHERE requester_id::text LIKE '%2')",
      reason: "it offers none"),
    ForeignCall(
      route: "POST /api/v1/notifications/{id}/read", place: "{entry}", answers: [204],
      proof: "(SELECT is_read FROM notifications WHERE id = '{entry}')"),
    ForeignCall(
      route: "POST /api/v1/notifications/{id}/archive", place: "{entry}", answers: [204],
      proof: "(SELECT is_archived FROM notifications WHERE id = '{entry}')"),
    ForeignCall(route: "DELETE /api/v1/notifications/{id}", place: "{entry}", answers: [204]),
    ForeignCall(route: "POST /api/v1/notifications/read-all", place: "?app={app}", answers: [200], says: #""read":"#),

    ForeignCall(route: "GET /api/v1/unsubscribe", place: "{link}", answers: [200]),
    ForeignCall(
      route: "GET /api/v1/auth/notifications", place: "?app={app}", answers: [200], says: #""{switch}":true"#),
    ForeignCall(route: "POST /api/v1/unsubscribe", place: "{link}", body: "List-Unsubscribe=One-Click", answers: [200]),
    ForeignCall(
      route: "GET /api/v1/auth/notifications", place: "?app={app}", answers: [200], says: #""{switch}":false"#),
    ForeignCall(route: "GET /openapi.json", answers: [200], says: #""openapi""#),
  ]

  private static let project = "b0000000-0000-4000-8000-000000000001"
  private static let group = "f0000000-0000-4000-8000-000000000001"
  private static let proposal = "f4000000-0000-4000-8000-000000000001"
  private static let event = "fa000000-0000-4000-8000-000000000001"
}
