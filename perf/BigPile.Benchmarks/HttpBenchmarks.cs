using System;
using System.Globalization;
using System.Net.Http;
using System.Threading.Tasks;
using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using Microsoft.AspNetCore.Builder;

namespace BigPile.Benchmarks;

/// <summary>What does it cost to serve a stored value over HTTP, from a pile and from an ordinary ASP.NET Core application?</summary>
/// <remarks>
/// One client requests one value after the other, in random order, over one connection to the same process. Time and allocated bytes are
/// those of client, connection and server together; client and connection are the same for all. "Object" is a person that is stored as an
/// object and serialized to JSON for each response. "Payload" is 4 KB stored as they are sent. All responses of a category have equal
/// bodies, which is checked before.
/// </remarks>
[MemoryDiagnoser]
[GroupBenchmarksBy(BenchmarkLogicalGroupRule.ByCategory)]
[CategoriesColumn]
public class HttpBenchmarks
{
    private readonly Shuffled _order = new(HttpApplications.Count, 1 << 16);
    private readonly string[] _paths = new string[HttpApplications.Count];
    private WebApplication _application = null!;
    private HttpClient _client = null!;

    /// <summary>Starts an application that keeps objects in a memory cache.</summary>
    [GlobalSetup(Target = nameof(MemoryCacheObject))]
    public void StartMemoryCacheObject() => Start(HttpApplications.OfMemoryCache(), "/objects/");

    /// <summary>Starts an application that keeps objects in a concurrent dictionary.</summary>
    [GlobalSetup(Target = nameof(ConcurrentObject))]
    public void StartConcurrentObject() => Start(HttpApplications.OfDictionary(), "/objects/");

    /// <summary>Starts an application that keeps objects in a pile.</summary>
    [GlobalSetup(Target = nameof(PileObject))]
    public void StartPileObject() => Start(HttpApplications.OfPile(isFast: false), "/objects/");

    /// <summary>Starts an application that keeps bytes in a memory cache.</summary>
    [GlobalSetup(Target = nameof(MemoryCachePayload))]
    public void StartMemoryCachePayload() => Start(HttpApplications.OfMemoryCache(), "/payloads/");

    /// <summary>Starts the service without the fast path.</summary>
    [GlobalSetup(Target = nameof(PilePayload))]
    public void StartPilePayload() => Start(HttpApplications.OfPile(isFast: false), HttpApplications.ServicePath);

    /// <summary>Starts the service with the fast path.</summary>
    [GlobalSetup(Target = nameof(PilePayloadFastPath))]
    public void StartPilePayloadFastPath() => Start(HttpApplications.OfPile(isFast: true), HttpApplications.ServicePath);

    /// <summary>Stops it.</summary>
    [GlobalCleanup]
    public void End()
    {
        _client.Dispose();
        _application.DisposeAsync().AsTask().GetAwaiter().GetResult();
    }

    /// <summary>A minimal API gives a person of a memory cache.</summary>
    [BenchmarkCategory("Object"), Benchmark(Baseline = true)]
    public Task<int> MemoryCacheObject() => Get();

    /// <summary>A minimal API gives a person of a concurrent dictionary.</summary>
    [BenchmarkCategory("Object"), Benchmark]
    public Task<int> ConcurrentObject() => Get();

    /// <summary>A mapped table gives a person of a pile.</summary>
    [BenchmarkCategory("Object"), Benchmark]
    public Task<int> PileObject() => Get();

    /// <summary>A minimal API gives an array of a memory cache.</summary>
    [BenchmarkCategory("Payload"), Benchmark(Baseline = true)]
    public Task<int> MemoryCachePayload() => Get();

    /// <summary>The service gives a payload of a pile.</summary>
    [BenchmarkCategory("Payload"), Benchmark]
    public Task<int> PilePayload() => Get();

    /// <summary>The service gives a payload of a pile on the fast path.</summary>
    [BenchmarkCategory("Payload"), Benchmark]
    public Task<int> PilePayloadFastPath() => Get();

    // In-process, BenchmarkDotNet does not await setup tasks.
    private void Start(WebApplication application, string path)
    {
        _application = application;
        application.StartAsync().GetAwaiter().GetResult();
        var handler = new SocketsHttpHandler { UseProxy = false, MaxConnectionsPerServer = 1 };
        _client = new HttpClient(handler) { BaseAddress = new Uri(HttpApplications.AddressOf(application)) };
        for (int i = 0; i < _paths.Length; i++)
            _paths[i] = string.Create(CultureInfo.InvariantCulture, $"{path}{i}");
        if (path == HttpApplications.ServicePath)
            HttpApplications.PutAsync(_client).GetAwaiter().GetResult();
        HttpApplications.CheckAsync(_client, path).GetAwaiter().GetResult();
    }

    private async Task<int> Get()
    {
        byte[] body = await _client.GetByteArrayAsync(_paths[_order.Next()]);
        return body.Length + body[^1];
    }
}
