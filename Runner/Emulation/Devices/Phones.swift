package import FoundationEssentials

/// The devices, what is to go wrong on the way to them, and what waits for those that are offline.
package struct Phones: Sendable {
  package var registry: DeviceRegistry
  package var faults = FaultScript()
  package var held = HeldPushes()

  package init(registry: DeviceRegistry = DeviceRegistry()) { self.registry = registry }

  /// What becomes of a push that is in order: by the device's script, by a fault, by the device's state.
  package mutating func effect(
    on push: Fault.Target, refusal: (DeviceRegistry) -> Answer?
  ) -> (effect: Effect, fault: Int?) {
    if let scripted = registry.nextScripted(for: push.token) { return (scripted, nil) }
    if let (effect, fault) = faults.effect(on: push) {
      // A fault that lets the push through leaves the last word to the device.
      if effect.answer == .accepted, let answer = refusal(registry) {
        return (Effect(answer, delay: effect.delay), fault)
      }
      return (effect, fault)
    }
    return (refusal(registry).map { Effect($0) } ?? .accepted, nil)
  }

  /// Gives devices that are online what waits for them.
  package mutating func deliverHeld(after lastSeq: Int, now: Date) {
    for token in held.tokens.sorted() where registry.state(of: token)?.isOnline != false {
      held.deliver(to: token, after: lastSeq, now: now)
    }
  }
}
