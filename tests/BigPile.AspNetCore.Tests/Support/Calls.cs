using System.Buffers;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Distributed;

namespace BigPile.AspNetCore.Tests.Support;

/// <summary>The calls of a distributed cache, all of them the synchronous ones or all the asynchronous.</summary>
internal sealed class Calls(IBufferDistributedCache cache, bool isAsync)
{
    internal async Task<byte[]?> GetAsync(string key) => isAsync ? await cache.GetAsync(key) : cache.Get(key);

    internal async Task<bool> TryGetAsync(string key, IBufferWriter<byte> destination) =>
        isAsync ? await cache.TryGetAsync(key, destination) : cache.TryGet(key, destination);

    internal async Task SetAsync(string key, byte[] value, DistributedCacheEntryOptions? options = null)
    {
        if (isAsync)
            await cache.SetAsync(key, value, options ?? new());
        else
            cache.Set(key, value, options ?? new());
    }

    internal async Task SetAsync(string key, ReadOnlySequence<byte> value, DistributedCacheEntryOptions? options = null)
    {
        if (isAsync)
            await cache.SetAsync(key, value, options ?? new());
        else
            cache.Set(key, value, options ?? new());
    }

    internal async Task RefreshAsync(string key)
    {
        if (isAsync)
            await cache.RefreshAsync(key);
        else
            cache.Refresh(key);
    }

    internal async Task RemoveAsync(string key)
    {
        if (isAsync)
            await cache.RemoveAsync(key);
        else
            cache.Remove(key);
    }
}
