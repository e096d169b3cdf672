using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Threading;

namespace BigPile.Http.Metrics;

/// <summary>Counts connections by listening to Kestrel's meter.</summary>
/// <remarks>
/// Must be created before the server starts: a connection that opened earlier is never counted. Thread safety: all members may be called
/// concurrently.
/// </remarks>
internal sealed class ConnectionCount : IDisposable
{
    private const string MeterName = "Microsoft.AspNetCore.Server.Kestrel";
    private const string OpenName = "kestrel.active_connections";
    private const string RejectedName = "kestrel.rejected_connections";

    private readonly MeterListener _listener = new();
    private readonly IMeterFactory _factory;
    private long _open;
    private long _rejected;

    /// <summary>Starts listening.</summary>
    /// <param name="factory">The application's meter factory; meters of other servers in the process are ignored.</param>
    internal ConnectionCount(IMeterFactory factory)
    {
        _factory = factory;
        _listener.InstrumentPublished = OnInstrumentPublished;
        _listener.SetMeasurementEventCallback<long>(OnMeasurement);
        _listener.Start();
    }

    internal long Open => Volatile.Read(ref _open);

    /// <summary>Connections rejected at the limit.</summary>
    internal long Rejected => Volatile.Read(ref _rejected);

    public void Dispose() => _listener.Dispose();

    private void OnInstrumentPublished(Instrument instrument, MeterListener listener)
    {
        if (instrument.Meter.Name == MeterName && instrument.Meter.Scope == _factory && instrument.Name is OpenName or RejectedName)
            listener.EnableMeasurementEvents(instrument);
    }

    private void OnMeasurement(Instrument instrument, long change, ReadOnlySpan<KeyValuePair<string, object?>> tags, object? state) =>
        Interlocked.Add(ref instrument.Name == OpenName ? ref _open : ref _rejected, change);
}
