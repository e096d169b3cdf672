using System;
using System.Collections.Concurrent;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.Caching;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Caching.Memory;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace BigPile.Benchmarks;

/// <summary>Applications that serve the same values from different stores, each on a local port.</summary>
internal static class HttpApplications
{
    internal const int Count = 10_000;
    internal const string ServicePath = "/v1/tables/payloads/entries/";

    private const int PayloadBytes = 4096;
    private const string PayloadType = "application/octet-stream";

    private static readonly Person[] Persons = Person.Pool(Count, seed: 3);

    internal static WebApplication OfMemoryCache()
    {
        WebApplicationBuilder builder = Builder(isFast: false);
        WebApplication application = builder.Build();
        var objects = new MemoryCache(new MemoryCacheOptions());
        var payloads = new MemoryCache(new MemoryCacheOptions());
        for (int i = 0; i < Count; i++)
        {
            objects.Set(KeyOf(i), Persons[i].Copy());
            payloads.Set(KeyOf(i), PayloadOf(i));
        }
        application.MapGet("/objects/{key}", (string key) =>
            objects.TryGetValue(key, out Person? person) ? Results.Json(person, JsonContext.Default.Person) : Results.NotFound());
        application.MapGet("/payloads/{key}", (string key) =>
            payloads.TryGetValue(key, out byte[]? payload) ? Results.Bytes(payload!, PayloadType) : Results.NotFound());
        return application;
    }

    internal static WebApplication OfDictionary()
    {
        WebApplication application = Builder(isFast: false).Build();
        var objects = new ConcurrentDictionary<string, Person>();
        for (int i = 0; i < Count; i++)
            objects[KeyOf(i)] = Persons[i].Copy();
        application.MapGet("/objects/{key}", (string key) =>
            objects.TryGetValue(key, out Person? person) ? Results.Json(person, JsonContext.Default.Person) : Results.NotFound());
        return application;
    }

    /// <summary>The service, and a mapped table of objects.</summary>
    /// <param name="isFast">Whether plain reads take the fast path.</param>
    internal static WebApplication OfPile(bool isFast)
    {
        WebApplicationBuilder builder = Builder(isFast);
        builder.Services.AddBigPile().AddTable<string, Person>("objects");
        builder.Services.AddBigPileHttp();
        WebApplication application = builder.Build();
        application.UseBigPileEntries();
        application.UseRouting();
        application.MapBigPile();
        application.MapTable<Person>("/objects/{key}", "objects", JsonContext.Default.Options);
        application.Lifetime.ApplicationStarted.Register(() => Fill(application.Services));
        return application;
    }

    internal static string AddressOf(WebApplication application) => application.Urls.Single();

    /// <summary>Puts the payloads as the service's clients do.</summary>
    internal static async Task PutAsync(HttpClient client)
    {
        for (int i = 0; i < Count; i++)
        {
            using var content = new ByteArrayContent(PayloadOf(i));
            content.Headers.ContentType = new MediaTypeHeaderValue(PayloadType);
            using HttpResponseMessage answer = await client.PutAsync(ServicePath + KeyOf(i), content);
            answer.EnsureSuccessStatusCode();
        }
    }

    /// <summary>Checks that each response is right.</summary>
    internal static async Task CheckAsync(HttpClient client, string path)
    {
        for (int i = 0; i < Count; i += Count / 100)
        {
            byte[] expected = path.StartsWith("/objects", StringComparison.Ordinal)
                ? JsonSerializer.SerializeToUtf8Bytes(Persons[i], JsonContext.Default.Person)
                : PayloadOf(i);
            byte[] found = await client.GetByteArrayAsync(path + KeyOf(i));
            if (!found.AsSpan().SequenceEqual(expected))
                throw new InvalidDataException($"{path}{i} gives another body of {found.Length} bytes for {expected.Length}.");
        }
    }

    private static WebApplicationBuilder Builder(bool isFast)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0, endpoint =>
        {
            if (isFast)
                endpoint.UseBigPileFastReads();
        }));
        return builder;
    }

    private static void Fill(IServiceProvider services)
    {
        CacheTable<string, Person> objects = services.GetRequiredService<CacheTable<string, Person>>();
        for (int i = 0; i < Count; i++)
            objects.Put(KeyOf(i), Persons[i]);
    }

    private static byte[] PayloadOf(int number)
    {
        var payload = new byte[PayloadBytes];
        new Random(number).NextBytes(payload);
        return payload;
    }

    private static string KeyOf(int number) => number.ToString(CultureInfo.InvariantCulture);
}
