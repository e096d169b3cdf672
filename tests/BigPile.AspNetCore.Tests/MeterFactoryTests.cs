using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Linq;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tests.Support;
using BigPile.Caching;
using Microsoft.Extensions.DependencyInjection;

namespace BigPile.AspNetCore.Tests;

/// <summary>Two hosts of one process do not mix: each has a meter of its own.</summary>
public sealed class MeterFactoryTests
{
    [Fact]
    public async Task Each_host_states_its_own_figures()
    {
        await using TestHost first = await StartAsync(entries: 3);
        await using TestHost second = await StartAsync(entries: 5);
        Assert.Equal([3L], EntriesOn(first.Service<IMeterFactory>()));
        Assert.Equal([5L], EntriesOn(second.Service<IMeterFactory>()));
    }

    /// <summary>Collectors take instruments of one name for one, and complain where they differ.</summary>
    [Fact]
    public async Task Piles_of_a_host_share_their_instruments()
    {
        await using TestHost host = await TestHost.StartAsync(static services =>
        {
            services.AddBigPile("first", Fill(3));
            services.AddBigPile("second", Fill(5));
        });
        Assert.Equal([3L, 5L], EntriesOn(host.Service<IMeterFactory>()).Order());
        var names = new List<string>();
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, _) =>
        {
            if (instrument.Meter.Scope == host.Service<IMeterFactory>() && instrument.Meter.Name == PileTelemetry.MeterName)
                names.Add(instrument.Name);
        };
        listener.Start();
        Assert.NotEmpty(names);
        Assert.Equal(names.Distinct(), names);
    }

    private static List<long> EntriesOn(IMeterFactory factory)
    {
        var seen = new List<long>();
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, self) =>
        {
            if (instrument.Meter.Scope == factory && instrument.Name == CacheTelemetry.EntryCount)
                self.EnableMeasurementEvents(instrument);
        };
        listener.SetMeasurementEventCallback<long>((_, value, _, _) => seen.Add(value));
        listener.Start();
        listener.RecordObservableInstruments();
        return seen;
    }

    private static Task<TestHost> StartAsync(int entries) => TestHost.StartAsync(services => services.AddBigPile(Fill(entries)));

    private static Action<BigPileOptions> Fill(int entries) => options =>
    {
        TestHost.Small(options);
        options.Opened = cache =>
        {
            CacheTable<int, string> table = cache.GetOrCreateTable<int, string>("t");
            for (int i = 0; i < entries; i++)
                table.Put(i, "x");
        };
    };
}
