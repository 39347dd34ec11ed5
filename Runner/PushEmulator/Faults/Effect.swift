/// The effect of a push: its answer, the time of the answer, and whether the push is accepted.
struct Effect: Sendable, Equatable {
  var answer: Answer
  /// The delay of the answer, in milliseconds.
  ///
  /// A push is accepted when it is answered, or at once with ``takesFirst``. If its connection ends before, it is not.
  var delay: Int?
  /// Whether the push reaches the device, if the answer means the opposite or nothing.
  var taken: Bool?

  static let accepted = Effect(.accepted)

  init(_ answer: Answer, delay: Int? = nil, taken: Bool? = nil) {
    (self.answer, self.delay, self.taken) = (answer, delay, taken)
  }

  /// Whether the push reaches the device.
  var isTaken: Bool { taken ?? answer.isTaken }

  /// Whether it does so at once, before the answer.
  var takesFirst: Bool { taken == true }
}
