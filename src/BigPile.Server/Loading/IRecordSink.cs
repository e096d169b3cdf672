using System;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Server.Loading;

/// <summary>Where a load puts its records.</summary>
internal interface IRecordSink
{
    /// <summary>Takes a record; of two with one key the later one stays.</summary>
    /// <param name="lineNumber">Where it comes from.</param>
    /// <param name="key">The key in UTF-8; valid until the call ends.</param>
    /// <param name="record">The record; valid until the call ends.</param>
    /// <param name="cancellationToken">Stops the load.</param>
    ValueTask PutAsync(long lineNumber, ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> record, CancellationToken cancellationToken);

    /// <summary>Waits until every record that was taken is stored.</summary>
    ValueTask CompleteAsync();
}
