using System;
using System.Collections.Generic;
using MessagePack;

namespace BigPile.MessagePackCSharp;

/// <summary>Options with which no bytes name the type to make, whatever formatters the types or their members ask for.</summary>
/// <remarks>Thread safety: immutable.</remarks>
internal sealed class ClosedOptions : MessagePackSerializerOptions
{
    /// <param name="given">What the application chose.</param>
    internal ClosedOptions(MessagePackSerializerOptions given)
        : base(given.WithSecurity(SecurityOf(given))
            .WithResolver(new GuardedResolver(given.Resolver, given.Security.MaximumObjectGraphDepth)))
    {
    }

    private ClosedOptions(ClosedOptions other)
        : base(other)
    {
    }

    public override Type? LoadType(string typeName) => throw Refusal(typeName);

    // Asked only by who has a type by its name, also when it was known already.
    public override void ThrowIfDeserializingTypeIsDisallowed(Type type) => throw Refusal(type.ToString());

    protected override MessagePackSerializerOptions Clone() => new ClosedOptions(this);

    private static MessagePackSerializationException Refusal(string name) =>
        new($"The bytes name a type to make, '{name}'; they may be anybody's.");

    // One of the application's own says itself what it knows.
    private static MessagePackSecurity SecurityOf(MessagePackSerializerOptions given) =>
        given.Security.GetType() == typeof(MessagePackSecurity) ? new PointerSecurity(given.Security) : given.Security;

    /// <summary>Knows pointers as keys, too.</summary>
    private sealed class PointerSecurity : MessagePackSecurity
    {
        internal PointerSecurity(MessagePackSecurity given)
            : base(given)
        {
        }

        protected override MessagePackSecurity Clone() => new PointerSecurity(this);

        protected override IEqualityComparer<T> GetHashCollisionResistantEqualityComparer<T>() =>
            typeof(T) == typeof(PilePointer)
                ? (IEqualityComparer<T>)(object)PointerComparer.Instance
                : base.GetHashCollisionResistantEqualityComparer<T>();
    }

    private sealed class PointerComparer : IEqualityComparer<PilePointer>
    {
        internal static readonly PointerComparer Instance = new();

        public bool Equals(PilePointer x, PilePointer y) => x == y;

        public int GetHashCode(PilePointer obj) => HashCode.Combine(obj.ToUInt64()); // by a seed of the process
    }
}
