import TestSupport

extension World {
  /// Makes people with devices and settings, projects and groups.
  mutating func populate() -> [String] {
    var sql: [String] = []
    for number in 0..<habits.people {
      let person = Person(id: random.id(), name: "Person \(number)", email: "person\(number)@example.com")
      people.append(person)
      sql.append(
        Row(
          "users",
          [
            "id": person.id, "email": person.email, "name": person.name, "is_email_verified": "true",
            "created_at": time,
          ]
        ).insertion)
      for app in Self.apps {
        for _ in 0..<random.pick([0, 1, 1, 1, 1, 2]) { sql.append(register(for: person, app)) }
      }
    }
    for number in 0..<2 {
      let project = Project(id: random.id(), people: crowd())
      projects.append(project)
      let row = Row(
        "projects",
        ["id": project.id, "name": "Project \(number)", "api_key": "key\(number)", "owner_id": project.people[0]])
      let members = project.people.dropFirst().map { member in
        Row("project_members", ["id": random.id(), "project_id": project.id, "user_id": member])
      }
      sql += ([row] + members).map(\.insertion)
    }
    for number in 0..<2 {
      let group = Group(id: random.id(), members: crowd())
      groups.append(group)
      sql.append(Row("groups", ["id": group.id, "name": "Group \(number)", "created_at": time]).insertion)
      sql += group.members.map { membership($0, in: group) }
    }
    for _ in 0..<3 * people.count { sql += changePolicy() }
    for _ in 0..<people.count { sql += changeMute() }
    for _ in 0..<habits.switches { sql += changeSwitch() }
    return sql
  }

  private mutating func crowd() -> [String] {
    Array(people.map(\.id).shuffled(using: &random).prefix(random.number(3..<7)))
  }

  private mutating func membership(_ person: String, in group: Group) -> String {
    Row("group_members", ["id": random.id(), "group_id": group.id, "user_id": person, "created_at": time]).insertion
  }

  private mutating func register(for person: Person, _ app: String) -> String {
    devices += 1
    return Row(
      "device_tokens",
      [
        "id": random.id(), "user_id": person.id, "token": "device \(devices)", "platform": "iOS", "app": app,
        "provider": random.pick(["apns", "apns", "fcm"]), "created_at": time, "registered_at": time,
        "locale": random.percent(80) ? random.pick(Self.languages) : nil,
      ]
    ).insertion
  }

  /// A device comes, goes, or gets another owner; usually one for which something is on its way.
  mutating func changeDevice() -> [String] {
    let (person, app) = (person(), app())
    let change =
      switch random.number(0..<3) {
      case 0: "is_active = false"
      case 1: "user_id = '\(person.id)', is_active = true, registered_at = '\(time)'"
      default: ""
      }
    guard !change.isEmpty else { return [register(for: person, app)] }
    return [
      """
      UPDATE device_tokens SET \(change) WHERE id = (
        SELECT t.id FROM device_tokens t
        ORDER BY EXISTS (SELECT FROM deliveries d WHERE d.device_token_id = t.id AND d.state = 'queued') DESC,
          md5(t.token || '\(random.number(0..<1_000))') LIMIT 1)
      """
    ]
  }

  /// Somebody leaves a group or comes into it, and who leads in its proposals can be another.
  mutating func changeMembership() -> [Act] {
    let (place, person) = (random.number(0..<groups.count), person().id)
    let group = groups[place]
    let isMember = group.members.contains(person)
    guard !isMember || group.members.count > 2 else { return [] }
    for index in proposals.indices where proposals[index].group == place { proposals[index].votedAt = clock }
    if isMember {
      groups[place].members.removeAll { $0 == person }
      return [Act(["DELETE FROM group_members WHERE group_id = '\(group.id)' AND user_id = '\(person)'"])]
    }
    groups[place].members.append(person)
    return [Act([membership(person, in: group)])]
  }
}
