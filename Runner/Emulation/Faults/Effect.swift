/// The effect of a push: its answer, the time of the answer, and whether the push is accepted.
package struct Effect: Sendable, Equatable {
  package var answer: Answer
  /// The delay of the answer, in milliseconds.
  ///
  /// A push is accepted when it is answered, or at once with ``takesFirst``. If its connection ends before, it is not.
  package var delay: Int?
  /// Whether the push reaches the device, if the answer means the opposite or nothing.
  package var taken: Bool?

  package static let accepted = Effect(.accepted)

  package init(_ answer: Answer, delay: Int? = nil, taken: Bool? = nil) {
    (self.answer, self.delay, self.taken) = (answer, delay, taken)
  }

  /// Whether the push reaches the device.
  package var isTaken: Bool { taken ?? answer.isTaken }

  /// Whether it does so at once, before the answer.
  package var takesFirst: Bool { taken == true }
}
