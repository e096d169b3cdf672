using System;
using System.Buffers;
using System.Collections.Generic;

namespace BigPile.Server.Tests.Http.FastPath;

/// <summary>A private pool for the pipes of one connection, so that other tests' allocations are not counted.</summary>
internal sealed class BlockPool : MemoryPool<byte>
{
    private const int BlockBytes = 4096;

    private readonly Stack<Block> _free = new();

    public override int MaxBufferSize => BlockBytes;

    public override IMemoryOwner<byte> Rent(int minBufferSize = -1)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(minBufferSize, BlockBytes);
        lock (_free)
            return _free.TryPop(out Block? block) ? block : new Block(this);
    }

    protected override void Dispose(bool disposing)
    {
    }

    private void Return(Block block)
    {
        lock (_free)
            _free.Push(block);
    }

    private sealed class Block(BlockPool pool) : IMemoryOwner<byte>
    {
        public Memory<byte> Memory { get; } = new byte[BlockBytes];

        public void Dispose() => pool.Return(this);
    }
}
