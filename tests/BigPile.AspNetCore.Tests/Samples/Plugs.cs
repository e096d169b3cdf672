using System;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;

namespace BigPile.AspNetCore.Tests.Samples;

/// <summary>What the README shows of ASP.NET Core.</summary>
public static class Plugs
{
    public static void Add(WebApplicationBuilder builder, string directory)
    {
        // README: plugs
        builder.Services.AddBigPile(pile => pile.Directory = directory)      // or nothing: memory only
            .AddTable<string, Person>("people")                              // inject CacheTable<string, Person>
            .AsDistributedCache(new TableOptions("sessions") { MaxBytes = 1 << 30 })
            .AsHybridCache()                                                 // inject HybridCache
            .AsOutputCacheStore()                                            // AddOutputCache() keeps responses in the pile
            .WithHealthCheck();
        builder.Services.AddBigPile("scratch").AsHybridCache();              // inject [FromKeyedServices("scratch")] HybridCache
        // README: end of plugs
    }

    public static async Task<Person> FindAsync(HybridCache cache, string id, CancellationToken stop)
    {
        // README: hybrid
        Person person = await cache.GetOrCreateAsync(
            $"person:{id}", token => LoadPersonAsync(id, token), tags: ["people"], cancellationToken: stop);
        await cache.RemoveByTagAsync("people", stop);                        // all of them at once, however many
        // README: end of hybrid
        return person;
    }

    private static ValueTask<Person> LoadPersonAsync(string id, CancellationToken stop) =>
        stop.IsCancellationRequested
            ? ValueTask.FromCanceled<Person>(stop)
            : new ValueTask<Person>(new Person(id, new DateOnly(1815, 12, 10)));

    public sealed record Person(string Name, DateOnly Born);
}
