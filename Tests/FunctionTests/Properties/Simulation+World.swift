import FoundationEssentials
import Notifications
import Postgres

extension Simulation {
  /// Makes people with devices and settings, two projects and two groups.
  func populate() async throws {
    for number in 0..<7 {
      let person = Person(id: random.uuid(), name: "Person \(number)", email: "person\(number)@example.com")
      try await write(
        "INSERT INTO users (id, email, name) VALUES (\(person.id), \(person.email), \(person.name))")
      people.append(person)
      for app in App.allCases where random.percent(app == .feedbackKit || app == .lockItIn ? 90 : 70) {
        try await register(for: person, app)
      }
    }
    for number in 0..<2 {
      let members = crowd()
      let project = Project(id: random.uuid(), people: members)
      try await write(
        """
        INSERT INTO projects (id, name, api_key, owner_id)
        VALUES (\(project.id), \("Project \(number)"), \("key\(number)"), \(members[0]))
        """)
      try await write(
        """
        INSERT INTO project_members (project_id, user_id) SELECT \(project.id), unnest(\(Array(members.dropFirst())))
        """)
      projects.append(project)
      let group = Group(id: random.uuid(), members: crowd())
      try await write("INSERT INTO groups (id, name) VALUES (\(group.id), \("Group \(number)"))")
      try await write(
        "INSERT INTO group_members (group_id, user_id) SELECT \(group.id), unnest(\(group.members))")
      groups.append(group)
    }
    for _ in 0..<14 { try await changeDeliveryPolicy() }
  }

  private func crowd() -> [UUID] {
    Array(people.map(\.id).shuffled(using: &random).prefix(random.number(3..<6)))
  }

  func register(for person: Person, _ app: App) async throws {
    devices += 1
    try await write(
      """
      INSERT INTO device_tokens (id, user_id, token, platform, provider, app, registered_at, created_at)
      VALUES (\(random.uuid()), \(person.id), \("device\(devices)"), 'iOS', \(random.pick(["apns", "fcm"])),
        \(app.rawValue), \(clock), \(clock))
      """)
  }

  /// Quiet hours, zone and limit of somebody, in one app.
  func changeDeliveryPolicy() async throws {
    let (person, app) = (random.pick(people), random.pick([App.feedbackKit, .feedbackKit] + App.allCases))
    let edges = [nil, "22:00", "08:00", "00:00", "02:30", "02:00", "03:00", "21:15", "12:00"]
    let (start, end) = (random.pick(edges), random.pick(edges))
    let isQuiet = random.percent(75)
    let wantsSummary = random.pick([true, true, nil, false])
    let limit: Int? = random.percent(60) ? random.number(1..<4) : nil
    try await set(
      """
      quiet_hours_enabled = \(isQuiet), quiet_hours_start = \(start as String?)::time,
        quiet_hours_end = \(end as String?)::time, hourly_limit = \(limit as Int?),
        quiet_hours_summary = \(wantsSummary as Bool?)
      """, of: person, app)
    try await changeZone(of: person, app)
  }

  func changeZone(of person: Person, _ app: App) async throws {
    let zone = random.pick(Self.zones + [nil, "Mars/Olympus_Mons"])
    try await set("timezone = \(zone as String?)", of: person, app)
  }

  func changeSwitch() async throws {
    let person = random.pick(people)
    let isOn = random.percent(70)
    switch random.number(0..<6) {
    case 0:
      let column = random.pick(["push_notifications_enabled", "push_notify_votes", "push_notify_new_comments"])
      try await write("UPDATE users SET \(identifier: column) = \(isOn) WHERE id = \(person.id)")
    case 1:
      try await write(
        """
        INSERT INTO project_member_preferences (user_id, project_id, push_muted)
        VALUES (\(person.id), \(random.pick(projects).id), \(!isOn))
        ON CONFLICT (user_id, project_id) DO UPDATE SET push_muted = excluded.push_muted
        """)
    case 2:
      try await write(
        """
        INSERT INTO group_notification_preferences (user_id, group_id, notification_level)
        VALUES (\(person.id), \(random.pick(groups).id), \(random.pick(["all", "all", "important", "muted"])))
        ON CONFLICT (user_id, group_id) DO UPDATE SET notification_level = excluded.notification_level
        """)
    case 3:
      let column = random.pick(["notifications_enabled", "vote_cast", "vote_updates", "day_before_reminders"])
      try await set("\(identifier: column) = \(isOn)", of: person, .lockItIn)
    case 4:
      try await set("switches = \(isOn ? "{}" : #"{"like":false}"#)::jsonb", of: person, .mugshot)
    default:
      let app = random.pick([App.repairMinder, .messageAI, .mugshot])
      try await set("is_enabled = \(isOn)", of: person, app)
    }
  }

  func set(_ columns: SQL, of person: Person, _ app: App) async throws {
    if app == .lockItIn {
      try await write(
        "INSERT INTO user_notification_preferences (user_id) VALUES (\(person.id)) ON CONFLICT DO NOTHING")
      try await write("UPDATE user_notification_preferences SET \(columns) WHERE user_id = \(person.id)")
    } else {
      try await write(
        """
        INSERT INTO notification_settings (user_id, app) VALUES (\(person.id), \(app.rawValue)) ON CONFLICT DO NOTHING
        """)
      try await write(
        "UPDATE notification_settings SET \(columns) WHERE user_id = \(person.id) AND app = \(app.rawValue)")
    }
  }
}
