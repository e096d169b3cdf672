using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics.Tracing;
using System.Globalization;
using System.Linq;
using Microsoft.Extensions.Logging;

namespace BigPile.Server.Hosting;

/// <summary>
/// Logs errors that OpenTelemetry reports only to its event sources, such as an unreachable collector or an unsupported variable.
/// </summary>
/// <remarks>Each kind is logged at most once in ten minutes. Thread safety: all members may be called concurrently.</remarks>
internal sealed class OtlpTrouble(ILogger<OtlpTrouble> logger, TimeProvider time) : EventListener
{
    private const string SourcePrefix = "OpenTelemetry-";

    // Unselected meters are ignored on purpose.
    private const string NotAskedFor = "MetricInstrumentIgnored";

    private static readonly TimeSpan Pause = TimeSpan.FromMinutes(10);

    private readonly ConcurrentDictionary<(string Source, int Event), long> _logged = new();

    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (eventSource.Name.StartsWith(SourcePrefix, StringComparison.Ordinal))
            EnableEvents(eventSource, EventLevel.Warning);
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        if (eventData.EventName == NotAskedFor)
            return;
        var kind = (eventData.EventSource.Name, eventData.EventId);
        long now = time.GetTimestamp();
        long last = _logged.GetOrAdd(kind, now);
        if (last != now && (time.GetElapsedTime(last, now) < Pause || !_logged.TryUpdate(kind, now, last)))
            return;
        IEnumerable<object?> payload = eventData.Payload ?? Enumerable.Empty<object?>();
        string said = eventData.Message is { } format
            ? string.Format(CultureInfo.InvariantCulture, format, [.. payload])
            : string.Join(' ', payload);
        logger.LogWarning("OpenTelemetry: {Message}", LogText.Of(said));
    }
}
