using System;
using System.Runtime.CompilerServices;

namespace BigPile.Codec;

/// <summary>The models and slots of one codec, by type.</summary>
/// <remarks>The tables hold their types weakly, so that a plug-in's types can be unloaded. Thread safety: all members may be called concurrently.</remarks>
internal sealed class ModelCache
{
    private readonly ConditionalWeakTable<Type, TypeModel> _models = [];
    private readonly ConditionalWeakTable<Type, Slot> _slots = [];
    private readonly MessagePackPileCodec _codec;

    public ModelCache(MessagePackPileCodec codec, PileCodecOptions options)
    {
        _codec = codec;
        Types = new TypeRegistry(options);
        Factory = new ModelFactory(this, options);
        CodeGeneration = options.CodeGeneration;
        Contracts = new ContractSlots(this);
        Any = SlotFor(typeof(object));
        Comparers = new ComparerSlot(Any);
    }

    public TypeRegistry Types { get; }

    public ModelFactory Factory { get; }

    /// <summary>The slots of members of contract types.</summary>
    public ContractSlots Contracts { get; }

    public CodeGeneration CodeGeneration { get; }

    /// <summary>A place for any object.</summary>
    public Slot Any { get; }

    public ComparerSlot Comparers { get; }

    /// <summary>The model of objects that are exactly of a type.</summary>
    public TypeModel ForType(Type type) => _models.TryGetValue(type, out TypeModel? model) ? model : _models.GetValue(type, Factory.MakeModel);

    /// <summary>The slot of places that are declared with a type.</summary>
    public Slot SlotFor(Type declared) => _slots.TryGetValue(declared, out Slot? slot) ? slot : _slots.GetValue(declared, Factory.MakeSlot);

    /// <summary>Whether an object can be exactly of a declared type, and can be stored. Else places of the type always state what they hold.</summary>
    public bool CanBeExact(Type declared) => Factory.CanBeExact(declared);

    /// <summary>Whether hash and equality of a key need no code of the application and no content of other objects.</summary>
    public bool HasPlainEquality(Type key) => PlainKeys.Contains(key);

    public int Assign(TypeModel model) => _codec.Assign(model);
}
