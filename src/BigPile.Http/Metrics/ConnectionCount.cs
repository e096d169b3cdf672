using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Threading;

namespace BigPile.Http.Metrics;

/// <summary>Counts connections, from what the server's own meter says of them.</summary>
/// <remarks>
/// Must be made before the server starts: a connection that was opened unseen is never counted. Thread safety: all members may be called
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

    /// <summary>Begins to listen.</summary>
    /// <param name="factory">The application's: the meters of another server in the process are not its.</param>
    internal ConnectionCount(IMeterFactory factory)
    {
        _factory = factory;
        _listener.InstrumentPublished = OnInstrumentPublished;
        _listener.SetMeasurementEventCallback<long>(OnMeasurement);
        _listener.Start();
    }

    /// <summary>Connections that are open.</summary>
    internal long Open => Interlocked.Read(ref _open);

    /// <summary>Connections that were refused because there were too many.</summary>
    internal long Rejected => Interlocked.Read(ref _rejected);

    public void Dispose() => _listener.Dispose();

    private void OnInstrumentPublished(Instrument instrument, MeterListener listener)
    {
        if (instrument.Meter.Name == MeterName && instrument.Meter.Scope == _factory && instrument.Name is OpenName or RejectedName)
            listener.EnableMeasurementEvents(instrument);
    }

    private void OnMeasurement(Instrument instrument, long change, ReadOnlySpan<KeyValuePair<string, object?>> tags, object? state) =>
        Interlocked.Add(ref instrument.Name == OpenName ? ref _open : ref _rejected, change);
}
