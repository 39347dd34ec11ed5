import FoundationEssentials

/// The devices with their Live Activities, the faults on the way to them, and the pushes for those that are offline.
struct Phones: Sendable {
  var registry = DeviceRegistry()
  var faults = FaultScript()
  var held = HeldPushes()
  var activities = Activities()

  /// The effect of a valid push: by the device's script, by a fault, or by the device's state.
  mutating func effect(
    on push: Fault.Target, refusal: (DeviceRegistry) -> Answer?
  ) -> (effect: Effect, fault: Int?) {
    if let scripted = registry.nextScripted(for: push.token) { return (scripted, nil) }
    if let (effect, fault) = faults.effect(on: push) {
      // If a fault accepts the push, the device decides.
      if effect.answer == .accepted, let answer = refusal(registry) {
        return (Effect(answer, delay: effect.delay), fault)
      }
      return (effect, fault)
    }
    return (refusal(registry).map { Effect($0) } ?? .accepted, nil)
  }

  /// Gives devices that are online their waiting pushes.
  mutating func deliverHeld(in history: PushHistory, now: Date) {
    for token in held.tokens.sorted() where registry.state(of: token)?.isOnline != false {
      for seq in held.deliver(to: token, after: history.lastSeq, now: now) {
        if let push = history[seq] { activities.receive(push, at: now) }
      }
    }
  }
}
