"""The first lines of ``convex.config.ts`` files, from which tests make projects."""

APP = 'import { defineApp } from "convex/server";\n'
LOCAL = f'{APP}import part from "./part/convex.config";\nconst app = defineApp();\n'
PART = 'import { defineComponent } from "convex/server";\n'
OF_ANY_NAME = f'{PART}export default defineComponent("part");\n'
