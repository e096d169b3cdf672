using System;
using System.Collections.Generic;
using MessagePack;

namespace BigPile.MessagePackCSharp;

/// <summary>Options under which a payload can't name a type to make, whatever formatters the types or their members use.</summary>
/// <remarks>Thread safety: immutable.</remarks>
internal sealed class ClosedOptions : MessagePackSerializerOptions
{
    /// <param name="given">The application's options.</param>
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

    // Formatters call this only for a type that was found by name in a payload, also if it was found before.
    public override void ThrowIfDeserializingTypeIsDisallowed(Type type) => throw Refusal(type.ToString());

    protected override MessagePackSerializerOptions Clone() => new ClosedOptions(this);

    private static MessagePackSerializationException Refusal(string name) =>
        new($"The payload names a type to make, '{name}'. Payloads may not, as they may come from anyone.");

    // A security class of the application's is not wrapped: it provides its own comparers.
    private static MessagePackSecurity SecurityOf(MessagePackSerializerOptions given) =>
        given.Security.GetType() == typeof(MessagePackSecurity) ? new PointerSecurity(given.Security) : given.Security;

    /// <summary>Also allows pointers as keys.</summary>
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

        public int GetHashCode(PilePointer obj) => HashCode.Combine(obj.ToUInt64()); // with a random seed of the process
    }
}
