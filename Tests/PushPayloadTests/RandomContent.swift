import FoundationEssentials
import PushPayload
import TestSupport

/// Random values of the contents of pushes, with texts that JSON and URLs must escape.
struct RandomContent {
  var random: SplitMix

  init(seed: UInt64) { random = SplitMix(seed: seed) }

  mutating func text() -> String {
    let pieces = [
      "a", "Zoë", "\"", "\\", "/", "%", "%2F", "?", "#", " ", "\n", "\u{0}", "\u{1F}", "\u{7F}", "👨‍👩‍👧‍👦", "e\u{301}",
      "\u{2028}", "..",
      "\u{FEFF}", "{", "]", "12", "true", "+", "&", ":", "•", "\u{10FFFF}",
    ]
    return (0..<Int.random(in: 1...6, using: &random)).map { _ in pick(pieces) }.joined()
  }

  mutating func id() -> UUID {
    let (high, low) = (random.next().bigEndian, random.next().bigEndian)
    return UUID(uuid: unsafeBitCast((high, low), to: uuid_t.self))
  }

  mutating func number() -> Int { pick([0, 1, -1, 42, .max, .min, Int.random(in: 0...10_000, using: &random)]) }

  mutating func date() -> Date {
    Date(timeIntervalSince1970: Double(Int.random(in: 0...4_000_000_000, using: &random)))
  }

  mutating func maybe<T>(_ value: (inout Self) -> T) -> T? { Bool.random(using: &random) ? value(&self) : nil }

  mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: values.indices, using: &random)] }
}

extension RandomContent {
  mutating func feedbackKit() -> FeedbackKitPush {
    let project = maybe { $0.id() }
    return switch Int.random(in: 0..<5, using: &random) {
    case 0: .newFeedback(id(), project: project)
    case 1: .newComment(maybe { $0.id() }, feedback: id(), project: project)
    case 2: .newVote(feedback: id(), project: project, count: maybe { $0.number() })
    case 3: .statusChange(feedback: id(), project: project, old: maybe { $0.text() }, new: maybe { $0.text() })
    default: .other(type: maybe { $0.text() })
    }
  }

  mutating func lockItIn() -> LockItInPush {
    let title = maybe { $0.text() }
    let place = maybe { $0.text() }
    let name = maybe { $0.text() }
    let other = maybe { $0.id() }
    let date = maybe { $0.date() }
    let count = maybe { $0.number() }
    return switch Int.random(in: 0..<17, using: &random) {
    case 0: .proposalCreated(proposal: id(), group: other, title: title, deadline: date)
    case 1: .voteCast(proposal: id(), title: title, voter: name, vote: place)
    case 2:
      .leadingOptionChanged(
        proposal: id(), option: other, start: date, available: count, total: maybe { $0.number() })
    case 3: .proposalReminder(proposal: id(), minutesLeft: count)
    case 4: .proposalUpdated(proposal: id(), title: title, optionCount: count)
    case 5: .eventConfirmed(event: id(), title: title, start: date, location: place)
    case 6: .eventStartingSoon(event: id(), title: title, location: place, minutesLeft: count)
    case 7: .eventDayBefore(event: id(), title: title, location: place, minutesLeft: count)
    case 8: .timeToLeave(event: id(), title: title, travelMinutes: count, traffic: name, coordinate: place)
    case 9: .conflict(proposal: id(), existingEvent: other, level: name)
    case 10: .conflictOfMember(id(), name: name, proposal: id())
    case 11: .friendRequest(id(), from: other, name: name)
    case 12: .groupInvite(group: id(), name: title, inviter: other, inviterName: name)
    case 13: .memoryPrompt(event: id(), title: title, group: other)
    case 14: .voteCount(proposal: id(), count: number())
    case 15: .quietSummary(count: number())
    default: .other(type: name)
    }
  }

  mutating func repairMinder() -> RepairMinderPush {
    let entity = maybe { $0.text() }
    guard let kind = maybe({ $0.pick(RepairMinderPush.Kind.allCases) }) else {
      return RepairMinderPush(type: maybe { $0.text() }, values: entity.map { ["entity_id": .string($0)] } ?? [:])
    }
    return RepairMinderPush(kind, entity: entity)
  }

  mutating func mugshot() -> MugshotPush {
    var push = MugshotPush(pick(MugshotPush.Kind.allCases))
    if Bool.random(using: &random) { push.type = maybe { $0.text() } }
    push.actorUsername = maybe { $0.text() }
    push.actorAvatarURL = maybe { $0.text() }
    push.visit = maybe { $0.text() }
    push.friend = maybe { $0.text() }
    push.cafeName = maybe { $0.text() }
    push.target = pick([nil, .visit(text()), .friendProfile(text()), .friendsFeed, .notifications])
    return push
  }

  mutating func messageAI() -> MessageAIPush {
    let target = MessageAIPush.Target(conversation: text(), message: maybe { $0.text() })
    let priority = maybe { $0.pick(MessageAIPush.Priority.allCases) }
    let image = maybe { $0.text() }
    return pick([.smartNotification(target, priority: priority, image: image), .other(type: maybe { $0.text() })])
  }

  mutating func link() -> DeepLink {
    pick([
      .feedback(id()), .feedbackComments(id()), .project(id()), .notificationSettings, .pushSettings, .proposal(id()),
      .event(id()), .group(id()), .friends, .friend(id()), .inbox, .order(text()), .device(text()), .ticket(text()),
      .enquiry(text()),
    ])
  }

  mutating func payload(_ values: [String: PushPayload.Value]) -> PushPayload {
    var payload = PushPayload(values: values)
    payload.alert = maybe { random in
      PushPayload.Alert(
        title: random.maybe { $0.text() }, subtitle: random.maybe { $0.text() }, body: random.maybe { $0.text() })
    }
    payload.badge = maybe { $0.number() }
    payload.sound = maybe { $0.text() }
    payload.threadID = maybe { $0.text() }
    payload.category = maybe { $0.text() }
    payload.interruptionLevel = maybe { $0.pick([.passive, .active, .timeSensitive, .critical]) }
    payload.relevanceScore = maybe { Double.random(in: 0...1, using: &$0.random) }
    payload.isMutable = Bool.random(using: &random)
    payload.isContentAvailable = Bool.random(using: &random)
    return payload
  }
}
