using System;
using System.Diagnostics.Metrics;
using Microsoft.Extensions.DependencyInjection;

namespace BigPile.Server.Tests.Http.FastPath;

/// <summary>The leases of an application's pile, as its meter tells.</summary>
internal sealed class LeaseCount : IDisposable
{
    private readonly MeterListener _listener = new();
    private long _last;

    internal LeaseCount(ServedApp app)
    {
        Meter meter = app.Services.GetRequiredService<IMeterFactory>().Create(PileTelemetry.MeterName);
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter == meter && instrument.Name == PileTelemetry.ActiveLeases)
                listener.EnableMeasurementEvents(instrument);
        };
        _listener.SetMeasurementEventCallback<long>((_, value, _, _) => _last = value);
        _listener.SetMeasurementEventCallback<int>((_, value, _, _) => _last = value);
        _listener.Start();
    }

    internal long Value
    {
        get
        {
            _last = -1; // an instrument that is missing is no pile without leases
            _listener.RecordObservableInstruments();
            return _last;
        }
    }

    public void Dispose() => _listener.Dispose();
}
