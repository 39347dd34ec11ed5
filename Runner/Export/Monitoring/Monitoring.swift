// What to watch: rules for Prometheus, and a dashboard for Grafana.
extension Deployment {
  var monitoring: [ExportedFile] {
    [ExportedFile("monitoring/alerts.yml", alerts), ExportedFile("monitoring/dashboard.json", dashboard)]
  }

  private var alerts: String {
    """
    # Written by "runner export": rules for Prometheus, which reads /metrics of each runner with RUNNER_KEY as a bearer
    # token, under one of RUNNER_HOSTS.
    groups:
      - name: \(name)
        rules:
    \(Alert.all.map(\.text).joined(separator: "\n"))
    """
  }
}

/// A condition that a person has to know of.
struct Alert {
  let name, expression, duration, severity, summary, action: String

  var text: String {
    [
      "- alert: \(name)", "  expr: \(expression)", "  for: \(duration)", "  labels:", "    severity: \(severity)",
      "  annotations:", "    summary: \"\(summary)\"", "    description: \"\(action)\"",
    ].indented(by: 6)
  }

  static let all = [
    Alert(
      name: "RunnerGone", expression: "absent(push_runner_up == 1)", duration: "2m", severity: "critical",
      summary: "No runner serves",
      action: "Events wait in the database; nobody is notified. See the unit's or pod's log."),
    Alert(
      name: "RunnerDatabaseAway", expression: "push_runner_database_up == 0", duration: "2m", severity: "critical",
      summary: "A runner does not reach its database", action: "See /_/ready, and runner doctor."),
    Alert(
      name: "EventsWaitLong", expression: "max by (function) (push_runner_oldest_event_age_seconds) > 300",
      duration: "5m", severity: "warning", summary: "Events of {{ $labels.function }} wait for more than 5 minutes",
      action: "runner events list --function {{ $labels.function }}, then runner why ID."),
    Alert(
      name: "DeadLetters", expression: "max by (function) (push_runner_dead_letters) > 0", duration: "0m",
      severity: "warning", summary: "{{ $labels.function }} has dead letters",
      action: "runner events dead --function {{ $labels.function }}; then retry or purge them."),
    Alert(
      name: "FunctionPaused", expression: "max by (function) (push_runner_paused) > 0", duration: "1m",
      severity: "critical", summary: "{{ $labels.function }} is misconfigured or cannot be started, and waits",
      action: "runner doctor says why; it goes on when its settings are right, or by runner resume."),
    Alert(
      name: "TargetAway", expression: "max by (function) (push_runner_target_away) > 0", duration: "5m",
      severity: "critical", summary: "{{ $labels.function }} runs elsewhere and does not answer",
      action: "Its events wait and lose no attempt."),
    Alert(
      name: "SchedulesLate", expression: "max by (schedule) (push_runner_schedule_lag_seconds) > 120", duration: "2m",
      severity: "warning", summary: "{{ $labels.schedule }} is late",
      action: "Does a runner fire schedules? runner doctor."),
    Alert(
      name: "WakeUpsLate", expression: "max by (function) (push_runner_wakeup_lag_seconds) > 120", duration: "2m",
      severity: "critical", summary: "{{ $labels.function }} is due and does not come to its end",
      action:
        "Its work is late: held notifications of release-held, pushes of push-delivery. See its errors in the log."),
    Alert(
      name: "RetriesLate", expression: "max by (function) (push_runner_retry_lag_seconds) > 120", duration: "5m",
      severity: "warning", summary: "Events of {{ $labels.function }} are not tried again in time",
      action: "Does a runner hold their partitions? runner doctor."),
    Alert(
      name: "ServiceMissing", expression: "max by (service) (push_runner_service_missing) > 0", duration: "10m",
      severity: "critical", summary: "{{ $labels.service }} is neither started nor configured",
      action: "Deliveries wait. Configure APNs or FCM; runner doctor push checks it."),
    Alert(
      name: "EventsOvertaken", expression: "increase(push_runner_events_overtaken_total[1h]) > 0", duration: "0m",
      severity: "warning", summary: "A runner had passed events by, and has run them later",
      action: "This is a bug: please report it with the log."),
    Alert(
      name: "OrderBroken", expression: "increase(push_runner_order_broken_total[1h]) > 0", duration: "0m",
      severity: "warning", summary: "A runner has taken events after newer ones of their key",
      action: "This is a bug: please report it with the log."),
    Alert(
      name: "SpansLost", expression: "increase(push_runner_spans_lost_total[15m]) > 0", duration: "15m",
      severity: "warning", summary: "The collector does not take the spans of {{ $labels.instance }}",
      action: "Traces have gaps; nothing else is affected. See the runner's log."),
  ]
}
